import { priceTableOf } from "../budget/prices.ts";
import type { RunStartedEvent, SealReport } from "../events/run-event.ts";
import { LIMITS } from "../limits.ts";
import { VERSION } from "../version.ts";
import type { RunnerOptions } from "./agent-runner.ts";
import type { OpenRun, RunBase } from "./open-run.ts";

const DEFAULT_MAX_TOKENS = 16_384;

export interface RunLimits {
  maxSteps: number;
  maxTokens: number;
  toolTimeoutMs: number;
}

/** What holds when nothing else is said. */
export function limitsOf(options: RunnerOptions): RunLimits {
  const { maxSteps = LIMITS.maxSteps, maxTokens = DEFAULT_MAX_TOKENS } = options;
  return { maxSteps, maxTokens, toolTimeoutMs: options.toolTimeoutMs ?? LIMITS.toolTimeoutMs };
}

/** What is needed to judge the run later, as `run.started` says it. */
export function startedFields(
  { context, registry, system, past }: OpenRun,
  { options, root }: RunBase,
  seal: SealReport,
): ConstructorParameters<typeof RunStartedEvent>[0] {
  const { provider, policyHash = "", settingsHash = "", budget = {}, prices, runTimeoutMs } = options;
  const { maxSteps, maxTokens, toolTimeoutMs } = limitsOf(options);
  return {
    version: VERSION,
    goal: context.goal,
    provider: provider.name,
    model: provider.model,
    workspace: root,
    tools: registry.names(),
    limits: {
      max_steps: maxSteps,
      max_tokens: maxTokens,
      tool_timeout_ms: toolTimeoutMs,
      ...(runTimeoutMs !== undefined && { run_timeout_ms: runTimeoutMs }),
      ...budget,
    },
    price_table: priceTableOf(provider.model, prices),
    policy_hash: policyHash,
    settings_hash: settingsHash,
    isolation: options.isolation ?? "thread",
    seal,
    system,
    ...(past && { resumed_from: past.firstSeq - 1 }),
  };
}

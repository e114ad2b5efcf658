import type { Subscriber } from "../events/event-bus.ts";
import type { Provider } from "../provider/provider.ts";
import type { Policy } from "../policy/policy.ts";
import type { RulePolicy } from "../policy/rule-policy.ts";
import type { RunnerOptions } from "../runner/agent-runner.ts";
import type { ResumeOptions } from "../runner/resume-run.ts";
import type { RunResult } from "../runner/run-result.ts";
import type { CommandOptions } from "./command-options.ts";
import type { CliIo } from "./io.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { Settings } from "./settings-table.ts";
import { KnownRuns } from "./known-runs.ts";
import { budgetOf } from "./budget-settings.ts";
import { systemPromptTexts } from "./system-prompt-texts.ts";

export interface RunParts {
  /** May be left out when a run is gone on with. */
  goal: string | undefined;
  resume?: ResumeOptions;
  provider: Provider;
  subscribers: Subscriber[];
  /** Offers what the policy will deny as well: who calls a tool by name is to be told why not. */
  offerAll?: true;
  /** Offers these alone. */
  only?: readonly string[];
  /** Offered besides, and always allowed: they touch nothing. */
  extra?: readonly BaseTool[];
  /** Stands above the settings. */
  overrides?: Partial<RunnerOptions>;
}

/**
 * Runs a goal (or a single call) as the options say: the one place where settings become a runner.
 * @param inspect sees the tools there are before anything begins, and may throw
 */
export async function startRun(
  parts: RunParts,
  options: CommandOptions,
  io: CliIo,
  inspect?: (tools: readonly BaseTool[]) => void,
): Promise<RunResult> {
  const { settings } = options;
  const [{ canonicalRoot }, { allTools }] = await Promise.all([
    import("../sandbox/guard/canonical-root.ts"),
    import("./all-tools.ts"),
    // All that a run loads is under way at once.
    import("../runner/agent-runner.ts"),
    import("../policy/rule-policy.ts"),
  ]);
  const workspace = canonicalRoot(options.workspace);
  const opened = await allTools({ settings, workspace }, io);
  try {
    inspect?.(opened.tools);
    return await runWith(parts, options, { ...opened, io, workspace });
  } finally {
    opened.close();
  }
}

async function runWith(
  { goal, resume, provider, subscribers, offerAll, only, extra = [], overrides }: RunParts,
  { settings, rules, settingsHash, policyHash, secrets, env }: CommandOptions,
  { tools: all, io, workspace }: { tools: readonly BaseTool[]; io: CliIo; workspace: string },
): Promise<RunResult> {
  const [{ AgentRunner }, { RulePolicy }] = await Promise.all([
    import("../runner/agent-runner.ts"),
    import("../policy/rule-policy.ts"),
  ]);
  const sandbox = settings.sandbox ?? "read-only";
  const policy = new RulePolicy({ root: workspace, sandbox, rules, known: all.map(({ name }) => name) });
  const runner = new AgentRunner({
    ...(goal !== undefined && { goal }),
    ...(resume && { resume }),
    provider,
    subscribers,
    workspace,
    policy: extra.length === 0 ? policy : alsoAllowing(extra, policy),
    tools: [...(offerAll ? all : offered(all, policy, only)), ...extra],
    seal: settings.require_seal ? "require" : "try",
    log: logOf(settings),
    settingsHash,
    policyHash,
    secrets,
    canaries: settings.canary ?? [],
    signal: io.stopSignal(),
    ...budgetOf(settings),
    failOn: new Set(settings.fail_on),
    ...systemPromptTexts(settings),
    ...(io.firstThread && { firstThread: io.firstThread }),
    ...(io.firstHost && { firstHost: io.firstHost }),
    ...(settings.isolation !== undefined && { isolation: settings.isolation }),
    ...(settings.max_steps !== undefined && { maxSteps: settings.max_steps }),
    ...(settings.context_window !== undefined && { contextWindow: settings.context_window }),
    ...(settings.max_tokens !== undefined && { maxTokens: settings.max_tokens }),
    ...(settings.tool_timeout !== undefined && { toolTimeoutMs: settings.tool_timeout }),
    ...(settings.timeout !== undefined && { runTimeoutMs: settings.timeout }),
    ...overrides,
  });
  if (settings.log !== false && settings.log_dir === undefined) {
    new KnownRuns(env).remember(runner.runId, workspace);
  }
  return runner.run();
}

function alsoAllowing(extra: readonly BaseTool[], policy: Policy): Policy {
  return {
    decide: (tool, input) => (extra.includes(tool) ? { allowed: true } : policy.decide(tool, input)),
  };
}

function logOf({ log, log_dir, fsync }: Settings): RunnerOptions["log"] {
  if (log === false) return false;
  return { ...(log_dir !== undefined && { dir: log_dir }), ...(fsync !== undefined && { fsync }) };
}

function offered(
  tools: readonly BaseTool[],
  policy: RulePolicy,
  only: readonly string[] | undefined,
): BaseTool[] {
  const kept: BaseTool[] = [];
  for (const tool of tools) {
    if (policy.mayOffer(tool) && (!only || only.includes(tool.name))) kept.push(tool);
  }
  return kept;
}

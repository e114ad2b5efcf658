import { RuiZNError } from "../errors.ts";
import { terminalLine } from "../events/terminal-text.ts";
import { type Cassette, readCassette } from "../log/read-cassette.ts";
import { ReplayProvider } from "../provider/replay/replay-provider.ts";
import type { RunResult } from "../runner/run-result.ts";
import { builtInTools } from "./all-tools.ts";
import { commandOptions, type CommandOptions } from "./command-options.ts";
import { EXIT } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import { printersFor } from "./printers.ts";
import type { ParsedCommand } from "./program.ts";
import { recordedTools } from "./recorded-tools.ts";
import { reportFailure } from "./report-error.ts";
import { runFolder } from "./run-folder-argument.ts";
import { type RunParts, startRun } from "./start-run.ts";
import { tellNotices } from "./tell-notices.ts";

const TOOLS = ["recorded", "live"];
/** Ends that the recorded run did not come to by itself: its last request may have got no answer. */
const BROKE_OFF = new Set<string | undefined>([
  undefined,
  "aborted",
  "timeout",
  "log_failure",
  "api_error",
  "budget_exhausted",
]);

interface Verdict {
  matched: boolean;
  requests: number;
  recordedRequests: number;
  result: RunResult;
}

/**
 * `ruizn replay RUN`: the whole agent once more, with the model's responses from a log.
 * @returns the exit code: 0 when the run went as recorded, otherwise 1
 */
export async function replayCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  const options = await commandOptions(command, io);
  const { settings, workspace, env } = options;
  const [run = ""] = command.args;
  const { tools = "recorded" } = command.oneOff;
  if (!TOOLS.includes(tools)) {
    throw new RuiZNError("usage_invalid", `--tools must be ${TOOLS.join(" or ")}; got ${tools}`);
  }
  const cassette = readCassette(runFolder({ workspace, runsDir: settings.log_dir }, run));
  const { started, exchanges } = cassette;
  const { model, system } = started;
  const provider = new ReplayProvider({ model, system, tools: started.tools, exchanges });
  tellNotices(options.notices, io);
  // The answer is known: what is told is the run, and stdout has the verdict.
  const subscribers = printersFor({ ...settings, output_format: "json" }, env, io);
  const parts = { goal: started.goal, provider, subscribers, ...partsOf(cassette, tools) };
  const result = await startRun(parts, withoutPrompts(options), io);
  const verdict = judge(cassette, provider, result);
  io.stdout.write(
    settings.output_format === "json"
      ? asJson(verdict, { cassette, run, tools, provider })
      : asText(verdict, provider),
  );
  if (!verdict.matched) for (const failure of result.errors) reportFailure(failure, io.notes);
  return verdict.matched ? EXIT.success : EXIT.failure;
}

/** The conditions of the recorded run. */
function partsOf(cassette: Cassette, tools: string): Pick<RunParts, "overrides" | "only"> {
  const { system, limits, tools: names } = cassette.started;
  const { max_steps: maxSteps, max_tokens: maxTokens } = limits;
  const same = {
    system,
    ...(maxSteps !== undefined && { maxSteps }),
    ...(maxTokens !== undefined && { maxTokens }),
    failOn: new Set<never>(),
    budget: {},
  };
  if (tools === "live") return { overrides: same, only: names };
  return { overrides: { ...same, ...recordedTools(cassette, builtInTools()), seal: "off" } };
}

/** The recorded system prompt has them already. */
function withoutPrompts(options: CommandOptions): CommandOptions {
  const settings = { ...options.settings };
  delete settings.system_prompt;
  delete settings.system_prompt_file;
  delete settings.append_system_prompt;
  delete settings.append_system_prompt_file;
  return { ...options, settings };
}

function judge({ finished, exchanges }: Cassette, provider: ReplayProvider, result: RunResult): Verdict {
  const all = provider.answered === exchanges.length;
  const recorded = finished?.terminal_reason;
  const sameEnd = recorded === result.terminalReason || recorded === "permission_denied";
  const matched = all && !provider.mismatch && (sameEnd || BROKE_OFF.has(recorded));
  return { matched, requests: provider.answered, recordedRequests: exchanges.length, result };
}

function asJson(
  { matched, requests, recordedRequests, result }: Verdict,
  {
    cassette,
    run,
    tools,
    provider,
  }: { cassette: Cassette; run: string; tools: string; provider: ReplayProvider },
): string {
  return `${JSON.stringify({
    type: "replay",
    run,
    tools,
    matched,
    requests,
    recorded_requests: recordedRequests,
    run_id: result.runId,
    terminal_reason: result.terminalReason,
    recorded_terminal_reason: cassette.finished?.terminal_reason ?? null,
    mismatch: provider.mismatch ?? null,
    errors: matched ? [] : result.errors,
  })}\n`;
}

function asText(
  { matched, requests, recordedRequests, result }: Verdict,
  { mismatch }: ReplayProvider,
): string {
  if (matched) return `as recorded: ${requests} requests, ${result.terminalReason}\n`;
  if (!mismatch) {
    return `not as recorded: ${requests} of ${recordedRequests} requests, then ${result.terminalReason}\n`;
  }
  const { request, field, recorded, now } = mismatch;
  return `parted at request ${request}, ${terminalLine(field)}\n- ${shown(recorded)}\n+ ${shown(now)}\n`;
}

function shown(value: unknown): string {
  return terminalLine(JSON.stringify(value) ?? "(nothing)");
}

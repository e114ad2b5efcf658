import { RuiZNError } from "../errors.ts";
import type { ResumeOptions } from "../runner/resume-run.ts";
import type { InterruptSignal, RunResult } from "../runner/run-result.ts";
import { repeatWrite } from "./ask-repeat.ts";
import { commandOptions, type CommandOptions } from "./command-options.ts";
import type { CiReport } from "./ci-report.ts";
import { EXIT, exitCodeOf, exitCodeOfResult, exitCodeOfSignal } from "./exit-codes.ts";
import { readGoal } from "./goal.ts";
import type { CliIo } from "./io.ts";
import { KnownRuns } from "./known-runs.ts";
import { printersFor } from "./printers.ts";
import type { ParsedCommand } from "./program.ts";
import { reportError, reportFailure } from "./report-error.ts";
import { ResultFile } from "./result-file.ts";
import { failureJson, resultJson } from "./result-json.ts";
import { selectProvider } from "./select-provider.ts";
import { startRun } from "./start-run.ts";
import { tellNotices } from "./tell-notices.ts";

type Format = "text" | "json" | "stream-json";

/** `ruizn run`. */
export async function runCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  // Known before the settings are read: an error in them has to be told in the format that was asked for.
  let format: Format = command.flags.output_format === "json" ? "json" : "text";
  try {
    const options = await commandOptions(command, io);
    format = options.settings.output_format ?? "text";
    if (options.settings.ci)
      (await import("./guard-outputs.ts")).guardOutputs(io, { json: format !== "text" });
    return await runWith(command, options, io);
  } catch (error) {
    const known =
      error instanceof RuiZNError ? error : new RuiZNError("internal", String(error), { cause: error });
    const signal = io.stopSignal().reason as InterruptSignal | undefined;
    reportError(error, { out: io.notes, debug: command.flags.debug !== undefined });
    const { code, message, hint } = known;
    if (format === "json")
      io.stdout.write(failureJson({ code, message, ...(hint !== undefined && { hint }) }));
    return code === "aborted" && signal !== undefined ? exitCodeOfSignal(signal) : exitCodeOf(code);
  }
}

async function runWith(command: ParsedCommand, options: CommandOptions, io: CliIo): Promise<number> {
  const report = options.settings.ci ? await ciReport(options) : undefined;
  try {
    return await runAndTell(command, options, { io, report });
  } catch (error) {
    report?.failed(error instanceof RuiZNError ? exitCodeOf(error.code) : EXIT.failure);
    throw error;
  }
}

/** Loaded only with --ci. */
async function ciReport({ env }: CommandOptions): Promise<CiReport> {
  const { CiReport: Report } = await import("./ci-report.ts");
  return new Report(env);
}

interface Around {
  io: CliIo;
  report: CiReport | undefined;
}

async function runAndTell(
  command: ParsedCommand,
  options: CommandOptions,
  { io, report }: Around,
): Promise<number> {
  const { settings } = options;
  const resume = await resumeOf(command, options, io);
  const goal = await goalOf(command, { io, needed: resume === undefined });
  const file = command.oneOff["output-last-message"];
  const lastMessage =
    file === undefined ? undefined : new ResultFile("output-last-message", file, options.cwd);
  try {
    const result = await run({ goal, resume }, options, { io, report });
    lastMessage?.write(result.isError ? "" : result.result);
    if (settings.output_format === "json") io.stdout.write(resultJson(result));
    for (const failure of result.errors) reportFailure(failure, io.notes);
    const code = exitCodeOfResult(result);
    report?.finish(result, { exitCode: code, json: resultJson(result) });
    return code;
  } finally {
    lastMessage?.close();
  }
}

interface Resume {
  options: ResumeOptions;
  model: string;
}

/** Loaded only when a run is gone on with. */
async function resumeOf(
  command: ParsedCommand,
  options: CommandOptions,
  io: CliIo,
): Promise<Resume | undefined> {
  const { oneOff } = command;
  if (oneOff["resume"] === undefined && oneOff["continue"] === undefined) {
    const stray = ["resume-writes", "allow-changed-tools"].find((flag) => oneOff[flag] !== undefined);
    if (stray !== undefined)
      throw new RuiZNError("usage_invalid", `--${stray} is for --resume and --continue`);
    return undefined;
  }
  const { resumeTarget } = await import("./resume-target.ts");
  const { runId, started } = resumeTarget(command, options, new KnownRuns(options.env));
  return {
    model: started.model,
    options: {
      runId,
      repeatWrite: repeatWrite(resumeWrites(oneOff["resume-writes"], options), io),
      changedTools: oneOff["allow-changed-tools"] !== undefined,
    },
  };
}

/** With --ci nobody is asked. */
function resumeWrites(choice: string | undefined, { settings }: CommandOptions): string | undefined {
  return settings.ci && (choice ?? "ask") === "ask" ? "skip" : choice;
}

/** A run that goes on needs no goal, and does not look for one on stdin. */
async function goalOf(
  command: ParsedCommand,
  { io, needed }: { io: CliIo; needed: boolean },
): Promise<string | undefined> {
  const text = goalText(command);
  const alsoStdin = command.oneOff["stdin"] !== undefined;
  if (!needed && text === undefined && !alsoStdin) return undefined;
  return readGoal({ text, alsoStdin, stdin: () => io.stdin(), signal: io.stopSignal() });
}

function goalText({ oneOff, args }: ParsedCommand): string | undefined {
  const flag = oneOff["goal"];
  if (flag !== undefined && args[0] !== undefined) {
    throw new RuiZNError("usage_invalid", "the goal is given twice: with --goal and as an argument");
  }
  return flag ?? args[0];
}

async function run(
  { goal, resume }: { goal: string | undefined; resume: Resume | undefined },
  options: CommandOptions,
  { io, report }: Around,
): Promise<RunResult> {
  const { settings, env } = options;
  // A conversation goes on with the model that it was begun with.
  const model = resume ? { model: resume.model } : {};
  const { provider, notice } = await selectProvider({ ...settings, ...model }, env);
  tellNotices([...options.notices, ...(notice === undefined ? [] : [notice])], io);
  const printers = printersFor(settings, env, io);
  const subscribers = report?.subscribers(printers, settings, io) ?? printers;
  return startRun({ goal, provider, subscribers, ...(resume && { resume: resume.options }) }, options, io);
}

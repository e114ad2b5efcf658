import { RuiZNError } from "../errors.ts";
import type { ModelPart, ReviewReport, ScannedScope } from "../review/index.ts";
import type { InterruptSignal } from "../runner/run-result.ts";
import { commandOptions, type CommandOptions } from "./command-options.ts";
import { EXIT, exitCodeOfSignal } from "./exit-codes.ts";
import type { CliIo } from "./io.ts";
import type { ParsedCommand } from "./program.ts";
import { printersFor } from "./printers.ts";
import { ResultFile } from "./result-file.ts";
import { type ReviewArguments, reviewArguments } from "./review-arguments.ts";
import { selectProvider } from "./select-provider.ts";
import { startRun } from "./start-run.ts";
import { tellNotices } from "./tell-notices.ts";

/** Share of the lines under review that a model has to read. */
const MIN_COVERAGE = 0.8;

/**
 * `ruizn review`: what is wrong with code, by rules and by a model whose findings are checked against it.
 * @throws RuiZNError usage_invalid, input_invalid, settings_invalid, workspace_invalid, seal_unavailable
 */
export async function reviewCommand(command: ParsedCommand, io: CliIo): Promise<number> {
  const options = await commandOptions(command, io);
  const asked = await reviewArguments(command, options.cwd);
  if (options.settings.ci)
    (await import("./guard-outputs.ts")).guardOutputs(io, { json: ["json", "sarif"].includes(asked.format) });
  tellNotices(options.notices, io);
  const path = command.oneOff["output"];
  const file = path === undefined ? undefined : new ResultFile("output", path, options.cwd);
  try {
    const report = await review(asked, options, io);
    const exitCode = await exitCodeFor(report, asked, io);
    await tell(report, { asked, file, exitCode, io });
    return exitCode;
  } catch (error) {
    const signal = io.stopSignal().reason as InterruptSignal | undefined;
    if (signal === undefined) throw error;
    return exitCodeOfSignal(signal);
  } finally {
    file?.close();
  }
}

async function review(
  { scope: request, severity, baseline, minCoverage = MIN_COVERAGE }: ReviewArguments,
  options: CommandOptions,
  io: CliIo,
): Promise<ReviewReport> {
  const { settings, workspace } = options;
  const { notesOf, selected, tryScan } = await import("../review/index.ts");
  const scan = await tryScan(request, {
    root: workspace,
    seal: settings.require_seal ? "require" : "try",
    isolation: settings.isolation,
    signal: io.stopSignal(),
  });
  if (!scan.ok) {
    const { code, message, hint } = scan.error;
    throw new RuiZNError(code, message, hint === undefined ? {} : { hint });
  }
  const { scope, skipped } = scan.scanned;
  const { model, coverage, findings: reported } = await askModel(scan.scanned, options, io);
  const complete = model.state === "finished" && coverage.share >= minCoverage;
  const facts = { scope, skipped, coverage, model, complete };
  const findings = selected([...scan.scanned.findings, ...reported], { severity, baseline });
  return { ...facts, severity, findings, notes: notesOf(facts) };
}

interface Asked extends Pick<ReviewReport, "coverage" | "findings"> {
  model: ModelPart;
}

/** The model's part, when there is one. Its run is one like any other, with its log. */
async function askModel(scanned: ScannedScope, options: CommandOptions, io: CliIo): Promise<Asked> {
  const { ModelReview, REVIEW_TOOLS } = await import("../review/index.ts");
  const { settings, env } = options;
  const review = new ModelReview(scanned);
  const { provider, notice } = await selectProvider(settings, env);
  if (notice !== undefined || scanned.files.length === 0)
    return { model: { state: "not-run" }, coverage: review.coverage(), findings: [] };
  const printers = printersFor({ ...settings, output_format: "json" }, env, io);
  const { check, appendSystem, refused, goal, tool } = review;
  const parts = { goal, provider, subscribers: [review, ...printers], only: REVIEW_TOOLS, extra: [tool] };
  const result = await startRun({ ...parts, overrides: { check, appendSystem } }, options, io);
  const ran = { runIds: [result.runId], refused };
  const why = result.errors[0]?.message ?? result.subtype;
  return {
    model: result.isError ? { state: "failed", ...ran, why } : { state: "finished", ...ran },
    coverage: review.coverage(),
    findings: review.findings(),
  };
}

async function exitCodeFor(
  report: ReviewReport,
  { failOn, minCoverage }: ReviewArguments,
  io: CliIo,
): Promise<number> {
  const { atLeast, openFindings } = await import("../review/index.ts");
  const { reason } = io.stopSignal() as { reason?: InterruptSignal };
  if (reason !== undefined) return exitCodeOfSignal(reason);
  const { complete, model, coverage } = report;
  const asWanted = model.state === "not-run" ? coverage.share >= (minCoverage ?? 0) : complete;
  if (!asWanted) return EXIT.reviewIncomplete;
  const failed = failOn && openFindings(report).some(({ severity }) => atLeast(severity, failOn));
  return failed ? EXIT.findings : EXIT.success;
}

interface Telling {
  asked: ReviewArguments;
  file: ResultFile | undefined;
  exitCode: number;
  io: CliIo;
}

/** With a file, what is said of the review as a whole still goes to stderr. */
async function tell(report: ReviewReport, { asked, file, exitCode, io }: Telling): Promise<void> {
  const { formatted } = await import("../review/index.ts");
  const text = formatted(report, asked.format, exitCode);
  if (file) {
    file.write(text);
    tellNotices(report.notes, io);
  } else if (asked.format === "github") {
    for (const line of text.split("\n")) if (line !== "") io.stdout.command(line);
  } else io.stdout.write(text);
}

import type { Subscriber } from "../events/event-bus.ts";
import type { StampedEvent } from "../events/run-event.ts";
import type { ToolCallFinishedEvent, ToolCallStartedEvent } from "../events/tool-events.ts";
import { findSecrets } from "../redaction/find-secrets.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { ToolCall } from "../tools/invoke-tool.ts";
import { type ReportedFinding, ReportFindingTool } from "../tools/report-finding/spec.ts";
import { problemOf } from "./check-finding.ts";
import { coverageOf } from "./coverage.ts";
import { type Finding, withFingerprints } from "./finding.ts";
import { reviewGoal, REVIEW_SYSTEM } from "./goal.ts";
import { linesShown, ReadLines } from "./read-lines.ts";
import type { Coverage, RefusedFinding } from "./report.ts";
import type { ReviewedFile } from "./reviewed-files.ts";
import type { ScannedScope } from "./review.ts";

/** What a model looks with. Nothing of it writes. */
export const REVIEW_TOOLS = ["read_file", "list_dir", "glob", "grep", "git"] as const;

/** One run of a model over the code under review: what it is told, what its findings are held against, what came in. */
export class ModelReview implements Subscriber {
  readonly name = "review";
  readonly goal: string;
  readonly appendSystem = REVIEW_SYSTEM;
  readonly tool: BaseTool = new ReportFindingTool() as BaseTool;
  readonly refused: RefusedFinding[] = [];
  readonly #scanned: ScannedScope;
  readonly #files: ReadonlyMap<string, ReviewedFile>;
  readonly #started = new Map<string, ToolCallStartedEvent>();
  readonly #read = new ReadLines();
  readonly #reported: ReportedFinding[] = [];

  constructor(scanned: ScannedScope) {
    this.#scanned = scanned;
    this.#files = new Map(scanned.files.map((file) => [file.path, file]));
    this.goal = reviewGoal(scanned);
  }

  /** Why a finding does not count, for the model; all other calls are none of its business. */
  readonly check = ({ name, input }: ToolCall): string | undefined => {
    if (name !== this.tool.name) return undefined;
    const reported = input as ReportedFinding;
    const problem =
      problemOf(reported, { files: this.#files, read: this.#read.byFile }) ?? this.#knownAlready(reported);
    if (problem !== undefined) {
      const { file, line, title } = reported;
      this.refused.push({ file, line, title: findSecrets(title).redacted, why: problem });
    }
    return problem;
  };

  onEvent({ event }: StampedEvent): void {
    if (event.type === "tool_call.started") this.#started.set(event.call_id, event);
    if (event.type === "tool_call.finished") this.#finished(event);
  }

  coverage(): Coverage {
    return coverageOf(this.#scanned.files, this.#read.byFile);
  }

  /** What the model reported and the code bears out. */
  findings(): Finding[] {
    return withFingerprints(this.#reported.map(findingOf));
  }

  #finished(finished: ToolCallFinishedEvent): void {
    const started = this.#started.get(finished.call_id);
    if (!started) return;
    const shown = linesShown(started, finished, this.#scanned.rev);
    if (shown) this.#read.add(shown);
    // As the log has it: secrets are replaced in it.
    if (started.name === this.tool.name && !finished.is_error)
      this.#reported.push(started.input as ReportedFinding);
  }

  #knownAlready({ file, line, end_line: end, cwe }: ReportedFinding): string | undefined {
    const same = this.#reported.some(
      (one) => one.file === file && one.cwe === cwe && one.line <= end && line <= one.end_line,
    );
    return same ? `it is reported already: ${cwe} in these lines` : undefined;
  }
}

function findingOf(reported: ReportedFinding): Omit<Finding, "fingerprint"> {
  const { file, line, end_line: endLine, severity, confidence, category, cwe } = reported;
  const { title, description, exploit_scenario, recommendation, evidence } = reported;
  return {
    rule: `review/${cwe.toLowerCase()}`,
    source: "model",
    file,
    line,
    endLine,
    severity,
    confidence,
    category,
    cwe,
    title,
    description,
    ...(exploit_scenario !== undefined && { exploitScenario: exploit_scenario }),
    recommendation,
    evidence: findSecrets(evidence.trim()).redacted,
    suppressed: false,
  };
}

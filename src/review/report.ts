import type { Finding, Severity } from "./finding.ts";
import type { SkippedFile } from "./reviewed-files.ts";

/** How much of what was to be reviewed a model has read. */
export interface Coverage {
  filesInScope: number;
  filesOpened: number;
  linesInScope: number;
  linesRead: number;
  /** Lines read of lines in scope, from 0 to 1; 1 when there are none. */
  share: number;
  /** In scope, and of which no line was read. */
  unopened: string[];
}

/** What the model's part came to. `not-run`: there is none; `failed`: it did not get to its end. */
export type ModelPart =
  | { state: "not-run" }
  | { state: "finished"; runIds: string[]; refused: RefusedFinding[] }
  | { state: "failed"; runIds: string[]; refused: RefusedFinding[]; why: string };

/** A finding of the model's that the code does not bear out. */
export interface RefusedFinding {
  file: string;
  line: number;
  title: string;
  why: string;
}

/** What a review came to. */
export interface ReviewReport {
  /** Words for what was reviewed: `all files`, `what changed since main`. */
  scope: string;
  findings: Finding[];
  /** Findings below this are left out. */
  severity: Severity;
  skipped: SkippedFile[];
  coverage: Coverage;
  model: ModelPart;
  /** The model's part was done, and read enough. */
  complete: boolean;
  /** What a reader of the findings has to know, one sentence each. */
  notes: string[];
}

/** What is asked about: not what the baseline knows. */
export function openFindings({ findings }: ReviewReport): Finding[] {
  return findings.filter(({ suppressed }) => !suppressed);
}

export function notesOf(report: Omit<ReviewReport, "notes" | "severity" | "findings">): string[] {
  const { skipped, coverage, model, complete } = report;
  const percent = `${Math.floor(coverage.share * 100)} %`;
  const read = `${coverage.linesRead} of ${coverage.linesInScope} lines (${percent}) in ${counted(coverage.filesInScope, "file")}`;
  return [
    ...(coverage.filesInScope === 0 ? ["No file was in scope that could be read."] : []),
    model.state === "not-run"
      ? "No model has reviewed this code: only the scan for secrets and dangerous calls was made."
      : `The model read ${read}.`,
    ...(model.state === "failed" ? [`The model's review did not get to its end: ${model.why}.`] : []),
    ...(complete || model.state !== "finished" ? [] : ["It read less than --min-coverage asks for."]),
    ...(model.state !== "not-run" && model.refused.length > 0
      ? [
          `Refused, since the code or the log does not bear them out: ${counted(model.refused.length, "report")} of the model.`,
        ]
      : []),
    ...(skipped.length > 0 ? [`Not looked at at all: ${counted(skipped.length, "file")}.`] : []),
  ];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

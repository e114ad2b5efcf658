import { shownCount, shownDuration } from "../events/shown-numbers.ts";
import { terminalLine } from "../events/terminal-text.ts";
import type { ProbeCase } from "../probe/case.ts";
import { type Outcome, OUTCOMES } from "../probe/outcome.ts";
import type { CaseReport } from "../probe/run-probe.ts";
import { VERSION } from "../version.ts";
import type { Output } from "./output.ts";
import type { Change } from "./probe-baseline.ts";

export interface ProbeRun {
  reports: readonly CaseReport[];
  /** The tier that was attacked. */
  isolation: string;
  /** False: it was stopped, and the rest was not run. */
  finished: boolean;
  tookMs: number;
}

/** How far it is: one line that is written over on a terminal, one line a hundred cases elsewhere. */
export class ProbeProgress {
  readonly #out: Output;
  readonly #all: number;

  constructor(out: Output, all: number) {
    this.#out = out;
    this.#all = all;
  }

  after({ id, family, outcome }: CaseReport, done: number): void {
    const bad = outcome === "escaped" || outcome === "error";
    if (bad) this.#out.write(`${this.#clear()}${outcome} ${id} ${family}\n`);
    if (this.#out.isTerminal) this.#out.write(`${this.#clear()}[probe] ${done}/${this.#all} ${family}`);
    else if (done % 100 === 0) this.#out.write(`[probe] ${done}/${this.#all}\n`);
  }

  end(): void {
    this.#out.write(this.#clear());
  }

  #clear(): string {
    return this.#out.isTerminal ? "\r\u001b[K" : "";
  }
}

const HEADS: Record<Outcome, string> = {
  held: "held",
  single: "single",
  degraded: "degraded",
  escaped: "escaped",
  not_applicable: "n/a",
  error: "error",
};
const FAMILY_CHARS = 20;
const COUNT_CHARS = 10;

/** Family by outcome, then what a reader has to look at, then one line that says it all. */
export function probeTable(run: ProbeRun, changes: readonly Change[] | undefined): string {
  const { reports, isolation, finished, tookMs } = run;
  const families = [...new Set(reports.map(({ family }) => family))];
  const row = (name: string, of: readonly CaseReport[]): string =>
    name.padEnd(FAMILY_CHARS) +
    OUTCOMES.map((outcome) => String(countOf(of, outcome) || "·").padStart(COUNT_CHARS)).join("");
  const line = "─".repeat(FAMILY_CHARS + OUTCOMES.length * COUNT_CHARS);
  const head =
    "family".padEnd(FAMILY_CHARS) + OUTCOMES.map((one) => HEADS[one].padStart(COUNT_CHARS)).join("");
  const bad = countOf(reports, "escaped") + countOf(reports, "error");
  return `${[
    head,
    line,
    ...families.map((name) =>
      row(
        name,
        reports.filter(({ family }) => family === name),
      ),
    ),
    line,
    row("all", reports),
    "",
    ...reports.filter(({ outcome }) => !isFine(outcome)).flatMap(details),
    ...(changes ? changeLines(changes) : []),
    `${bad === 0 ? "Nothing escaped" : `${shownCount(bad, "case")} to look at`}: ` +
      `${shownCount(reports.length, "case")} against isolation ${isolation} in ${shownDuration(tookMs)}` +
      `${finished ? "" : "; stopped before the end"}.`,
  ].join("\n")}\n`;
}

const isFine = (outcome: Outcome): boolean =>
  outcome === "held" || outcome === "single" || outcome === "not_applicable";

function countOf(reports: readonly CaseReport[], wanted: Outcome): number {
  return reports.filter(({ outcome }) => outcome === wanted).length;
}

function details({ id, family, title, outcome, why, tried, cameBack }: CaseReport): string[] {
  return [
    `${outcome} ${id} (${family}): an attack that ${title}`,
    ...why.map((text) => `  ${terminalLine(text)}`),
    ...tried.slice(-3).map((text, at, last) => {
      const back = cameBack.slice(-last.length)[at] ?? "";
      return `  tried ${terminalLine(text)}\n    came back ${terminalLine(back)}`;
    }),
    "",
  ];
}

function changeLines(changes: readonly Change[]): string[] {
  if (changes.length === 0) return ["As the baseline says.", ""];
  return ["Since the baseline:", ...changes.map(({ id, was, is }) => `  ${id}: ${was} → ${is}`), ""];
}

/** One object: what was run, the counts, and every case with its evidence. */
export function probeJson(run: ProbeRun, changes: readonly Change[] | undefined): string {
  const { reports, isolation, finished, tookMs } = run;
  const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, countOf(reports, outcome)]));
  return `${JSON.stringify({
    type: "probe",
    version: VERSION,
    node: process.versions.node,
    platform: process.platform,
    isolation,
    finished,
    duration_ms: tookMs,
    counts,
    ...(changes && { since_baseline: changes }),
    cases: reports.map(({ heldBy, cameBack, durationMs, ...rest }) => ({
      ...rest,
      held_by: heldBy,
      came_back: cameBack,
      duration_ms: durationMs,
    })),
  })}\n`;
}

/** `--list`: a line a case. */
export function caseLines(cases: readonly ProbeCase[], json: boolean): string {
  const rows = cases.map(({ id, family, title, claim, layers, source }) => ({
    id,
    family,
    title,
    claim,
    layers,
    source,
  }));
  if (json) return `${JSON.stringify({ type: "probe_catalogue", cases: rows })}\n`;
  return rows
    .map(
      ({ id, family, claim, title }) => `${id.padEnd(9)} ${family.padEnd(18)} ${claim.padEnd(16)} ${title}\n`,
    )
    .join("");
}

import { resolve } from "node:path";
import { RuiZNError } from "../errors.ts";
import { type Outcome, OUTCOMES } from "../probe/outcome.ts";
import type { CaseReport } from "../probe/run-probe.ts";
import { readTextFile } from "./read-text-file.ts";

/** What an earlier run found, by case. */
export type Baseline = ReadonlyMap<string, { outcome: Outcome; durationMs: number }>;

export interface Change {
  id: string;
  was: string;
  is: string;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** A case is told of as slower when it took this many times as long, and this much longer. */
const SLOWER = { times: 2, ms: 250 };

/** Reads what `ruizn probe --json` wrote. @throws RuiZNError input_invalid */
export function readBaseline(path: string, cwd: string): Baseline {
  const file = readTextFile(resolve(cwd, path), MAX_BYTES);
  if (!file.found) throw new RuiZNError("input_invalid", `--baseline ${path} ${file.why}`);
  const cases = casesOf(file.text);
  if (cases === undefined)
    throw new RuiZNError("input_invalid", `--baseline ${path} is not what \`ruizn probe --json\` writes`);
  return new Map(cases.map(({ id, outcome, duration_ms }) => [id, { outcome, durationMs: duration_ms }]));
}

interface Row {
  id: string;
  outcome: Outcome;
  duration_ms: number;
}

function casesOf(text: string): Row[] | undefined {
  try {
    const { cases } = JSON.parse(text) as { cases?: unknown };
    return Array.isArray(cases) && cases.every(isRow) ? cases : undefined;
  } catch {
    return undefined;
  }
}

function isRow(value: unknown): value is Row {
  const { id, outcome, duration_ms } = (value ?? {}) as Partial<Row>;
  return typeof id === "string" && OUTCOMES.some((one) => one === outcome) && typeof duration_ms === "number";
}

/** What is another outcome than it was, and what took much longer. */
export function sinceBaseline(baseline: Baseline, reports: readonly CaseReport[]): Change[] {
  return reports.flatMap(({ id, outcome, durationMs }) => {
    const before = baseline.get(id);
    if (before === undefined) return [{ id, was: "not there", is: outcome }];
    if (before.outcome !== outcome) return [{ id, was: before.outcome, is: outcome }];
    const slower =
      durationMs > before.durationMs * SLOWER.times && durationMs > before.durationMs + SLOWER.ms;
    return slower ? [{ id, was: `${before.durationMs} ms`, is: `${durationMs} ms` }] : [];
  });
}

import type { Claim, ProbeCase } from "./case.ts";
import { type HeldBy, heldBy, Stages } from "./layers.ts";
import type { Outcome } from "./outcome.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { singleReason } from "./single-reasons.ts";
import type { StageOptions } from "./stage.ts";

/** What is known of one case after it was run. */
export interface CaseReport {
  id: string;
  family: string;
  title: string;
  claim: Claim;
  outcome: Outcome;
  /** Layers shown to hold it: those that were switched off in turn, or what holds it alone. */
  heldBy: string[];
  /** What escaped, what was late, why it was not run, what broke, or why one layer is all there is. */
  why: string[];
  tried: string[];
  cameBack: string[];
  durationMs: number;
  source: string;
}

export interface ProbeOptions {
  cases: readonly ProbeCase[];
  stage?: StageOptions;
  /** Told after each case. */
  onCase?: (report: CaseReport, done: number) => void;
  /** Ends after the case that is under way; what was not run is left out. */
  signal?: AbortSignal;
}

/** Families under way at once. What measures the whole process waits until nothing else runs. */
const LANES = 2;

/** Runs each case on the installation as it is, and then without each layer that could hold it. */
export async function runProbe(options: ProbeOptions): Promise<CaseReport[]> {
  const { cases } = options;
  const families = groupBy(
    cases.filter(({ alone }) => !alone),
    ({ family }) => family,
  );
  const beside = [...families.values()];
  const alone = cases.filter((probe) => probe.alone);
  const reports: CaseReport[] = [];
  await inLanes(LANES, beside, options, reports);
  await inLanes(1, [alone], options, reports);
  const place = new Map(cases.map(({ id }, at) => [id, at]));
  return reports.toSorted((a, b) => (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0));
}

async function inLanes(
  lanes: number,
  groups: readonly (readonly ProbeCase[])[],
  { stage = {}, onCase, signal }: ProbeOptions,
  reports: CaseReport[],
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    const stages = new Stages(stage);
    try {
      for (let group = groups[next++]; group; group = groups[next++]) {
        for (const probe of group) {
          if (signal?.aborted) return;
          const report = await judge(probe, stages);
          reports.push(report);
          onCase?.(report, reports.length);
        }
      }
    } finally {
      await stages.close();
    }
  };
  const settled = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = settled.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
}

async function judge(probe: ProbeCase, stages: Stages): Promise<CaseReport> {
  const run = await runCase(probe, stages.whole);
  const { tried, cameBack, durationMs } = run;
  const { id, family, title, claim, source } = probe;
  const evidence = { tried, cameBack, durationMs, source };
  const held = run.state === "held" ? await heldBy(probe, stages) : undefined;
  return { id, family, title, claim, ...verdict(probe, run, held), ...evidence };
}

function verdict(
  probe: ProbeCase,
  run: CaseRun,
  held: HeldBy | undefined,
): Pick<CaseReport, "outcome" | "heldBy" | "why"> {
  if (held === undefined || run.state !== "held") return { outcome: run.state, heldBy: [], why: run.why };
  if (held.only.length === 0 && held.shared.length > 1)
    return { outcome: "held", heldBy: [...held.shared], why: [] };
  const { layer, reason } = singleReason(probe, { rest: held.only.length === 0 && held.shared.length > 0 });
  const only: string[] = held.only.length > 0 ? held.only : [layer];
  const seen = held.runs
    .filter(({ without }) => held.only.includes(without))
    .map(({ without, state, why }) => `without ${without}: ${state}${why[0] ? `, ${why[0]}` : ""}`);
  return { outcome: "single", heldBy: only, why: [reason, ...seen] };
}

function groupBy(cases: readonly ProbeCase[], keyOf: (probe: ProbeCase) => string): Map<string, ProbeCase[]> {
  const groups = new Map<string, ProbeCase[]>();
  for (const probe of cases) {
    const key = keyOf(probe);
    groups.set(key, [...(groups.get(key) ?? []), probe]);
  }
  return groups;
}

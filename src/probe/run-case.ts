import type { ProbeCase } from "./case.ts";
import type { Stage } from "./stage.ts";

export interface CaseRun {
  id: string;
  family: string;
  state: "held" | "escaped" | "degraded" | "not_applicable" | "error";
  /** What escaped, what was late, why it can't be run, or what went wrong in the case itself. */
  why: string[];
  tried: string[];
  cameBack: string[];
  durationMs: number;
}

/** Runs one case and looks at what holds for all of them: what is outside is unchanged, and (`next`) the next call works. */
export async function runCase(probe: ProbeCase, stage: Stage, { next = true } = {}): Promise<CaseRun> {
  await stage.reset();
  const { findings } = stage;
  const { id, family } = probe;
  const startedAt = performance.now();
  const end = (state: CaseRun["state"], why: string[]): CaseRun => ({
    id,
    family,
    state,
    why,
    tried: findings.tried,
    cameBack: findings.cameBack,
    durationMs: Math.round(performance.now() - startedAt),
  });
  const reason = probe.notHere?.(stage);
  if (reason !== undefined) return end("not_applicable", [reason]);
  try {
    const before = stage.tree.fingerprint();
    await probe.run(stage);
    const changed = stage.tree.fingerprint() !== before;
    if (changed) findings.escaped("what is outside of the workspace was changed");
    if (next) await expectNextCall(stage);
    await stage.undo();
    if (changed) await stage.renew();
  } catch (error) {
    await stage.renew();
    return end("error", [error instanceof Error ? (error.stack ?? error.message) : String(error)]);
  }
  if (findings.escapes.length > 0) return end("escaped", findings.escapes);
  return findings.late.length > 0 ? end("degraded", findings.late) : end("held", []);
}

async function expectNextCall(stage: Stage): Promise<void> {
  const { findings } = stage;
  const [tried, cameBack] = [[...findings.tried], [...findings.cameBack]];
  const { errorType } = await stage.call("list_dir", { path: "." }, { mayShow: true });
  findings.tried.splice(0, Infinity, ...tried);
  findings.cameBack.splice(0, Infinity, ...cameBack);
  if (errorType !== null) findings.escaped(`the next call failed: ${errorType}`);
}

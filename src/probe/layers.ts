import type { Layer, ProbeCase } from "./case.ts";
import { type CaseRun, runCase } from "./run-case.ts";
import { Stage, type StageOptions } from "./stage.ts";

/** How the stage is built with one layer off; the others stay, so that what this lets through is held by them. */
const WITHOUT: Record<Layer, Pick<StageOptions, "seal" | "switches">> = {
  "main-guard": { switches: { mainGuard: "off" } },
  "worker-guard": { switches: { workerGuard: "off" } },
  seal: { seal: "off", switches: { hostPermission: "on" } },
  "host-permission": { switches: { hostPermission: "off" } },
  "re-check": { switches: { recheck: "off" } },
};

/** Stages by what is off in them, made when first needed and used for one case after the other. */
export class Stages {
  readonly #options: StageOptions;
  readonly #open = new Map<Layer | "none", Stage>();

  constructor(options: StageOptions) {
    this.#options = options;
  }

  /** The installation as it is. */
  get whole(): Stage {
    return this.#stage("none", this.#options);
  }

  without(layer: Layer): Stage {
    const { switches, ...options } = this.#options;
    const off = WITHOUT[layer];
    return this.#stage(layer, { ...options, ...off, switches: { ...off.switches, ...switches } });
  }

  async close(): Promise<void> {
    for (const stage of this.#open.values()) await stage.close();
    this.#open.clear();
  }

  #stage(name: Layer | "none", options: StageOptions): Stage {
    const stage = this.#open.get(name) ?? new Stage(options);
    this.#open.set(name, stage);
    return stage;
  }
}

export interface HeldBy {
  /** Still held when this one was off: another layer holds it too. */
  shared: Layer[];
  /** Escaped when this one was off: nothing else holds it. */
  only: Layer[];
  /** What the runs without a layer came to. */
  runs: { without: Layer; state: CaseRun["state"]; why: string[] }[];
}

/** Runs a case that was held once more without each of the layers that could hold it. */
export async function heldBy(probe: ProbeCase, stages: Stages): Promise<HeldBy> {
  const held: HeldBy = { shared: [], only: [], runs: [] };
  for (const without of probe.layers) {
    const { state, why } = await runCase(probe, stages.without(without), { next: false });
    held.runs.push({ without, state, why });
    // A case that can't run without a layer has not shown that another holds it.
    (state === "held" || state === "degraded" ? held.shared : held.only).push(without);
  }
  return held;
}

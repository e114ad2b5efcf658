import { existsSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { RuiZNError } from "../errors.ts";
import { readEvents, readLastEvent } from "../events/event-reader.ts";
import { EVENTS_FILE } from "../events/event-writer.ts";
import { RunClaim } from "../events/run-claim.ts";
import type { RunFinishedEvent, RunStartedEvent } from "../events/run-event.ts";
import { Folder, type RunPlace, runsFolderPath } from "../events/run-folder.ts";

export interface RunSummary {
  runId: string;
  path: string;
  /** `unfinished`: nothing writes it and it has no end; `unreadable`: it does not begin like a run. */
  state: "success" | "error" | "aborted" | "running" | "unfinished" | "unreadable";
  /** RFC 3339; undefined when it can't be read. */
  startedAt: string | undefined;
  started: RunStartedEvent | undefined;
  finished: RunFinishedEvent | undefined;
}

/** The runs of a workspace, the newest first. */
export function listRuns(place: RunPlace): RunSummary[] {
  const runs = runsFolderPath(place);
  if (!existsSync(runs)) return [];
  return readdirSync(runs)
    .map((name) => join(runs, name))
    .filter((path) => existsSync(join(path, EVENTS_FILE)))
    .map(summarizeRun)
    .toSorted((a, b) => compare(b.startedAt ?? "", a.startedAt ?? "") || compare(b.runId, a.runId));
}

/** From the first and the last line of its log; never throws. */
export function summarizeRun(path: string): RunSummary {
  const base = { runId: basename(path), path };
  try {
    const [first] = readEvents(path);
    if (first?.kind !== "event" || first.stamped.event.type !== "run.started") {
      return { ...base, state: "unreadable", startedAt: undefined, started: undefined, finished: undefined };
    }
    const { stamp, event: started } = first.stamped;
    const last = readLastEvent(path)?.event;
    const finished = last?.type === "run.finished" ? last : undefined;
    const state = finished?.status ?? (isHeld(path) ? "running" : "unfinished");
    return { ...base, state, startedAt: stamp.ts, started, finished };
  } catch (error) {
    if (!(error instanceof RuiZNError)) throw error;
    return { ...base, state: "unreadable", startedAt: undefined, started: undefined, finished: undefined };
  }
}

function isHeld(path: string): boolean {
  const folder = Folder.at(path);
  try {
    return RunClaim.holder(folder) !== undefined;
  } finally {
    folder.close();
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

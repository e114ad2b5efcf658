import { statSync } from "node:fs";
import { basename, dirname, resolve } from "node:path";
import { RuiZNError } from "../errors.ts";
import { EVENTS_FILE } from "../events/event-writer.ts";
import { openRunFolder, type RunPlace } from "../events/run-folder.ts";

export type FoundRun = { kind: "folder"; path: string } | { kind: "bundle"; file: string };

/**
 * What a user means by RUN: the id of a run of this workspace, or else a path to a run's folder, to its events.jsonl
 * or to an export.
 * @throws RuiZNError input_invalid when there is no such run
 */
export function findRun(place: RunPlace, run: string): FoundRun {
  try {
    const folder = openRunFolder(place, run);
    folder.close();
    return { kind: "folder", path: folder.path };
  } catch (error) {
    if (!(error instanceof RuiZNError)) throw error;
    const found = atPath(resolve(run));
    if (found) return found;
    throw error;
  }
}

function atPath(path: string): FoundRun | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) return { kind: "folder", path };
  if (!stats?.isFile()) return undefined;
  if (basename(path) === EVENTS_FILE) return { kind: "folder", path: dirname(path) };
  return { kind: "bundle", file: path };
}

import { RuiZNError } from "../errors.ts";
import type { RunPlace } from "../events/run-folder.ts";
import { findRun } from "../log/find-run.ts";

/** The folder of the run that an argument names. @throws RuiZNError input_invalid */
export function runFolder(place: RunPlace, run: string): string {
  const found = findRun(place, run);
  if (found.kind === "folder") return found.path;
  throw new RuiZNError("input_invalid", `${found.file} is a file, not a run`, {
    hint: "`tar xzf` unpacks an export into the run's folder",
  });
}

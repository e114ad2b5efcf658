import { RuiZNError } from "../errors.ts";
import { eventsOf, readEvents } from "../events/event-reader.ts";
import { EventWriter, type FsyncMode } from "../events/event-writer.ts";
import { RunClaim } from "../events/run-claim.ts";
import { errorCode, type Folder, openRunFolder, type RunPlace } from "../events/run-folder.ts";
import type { LogReport } from "./log-report.ts";
import { type RebuildWatch, type RebuiltRun, rebuild } from "./rebuild.ts";
import { setAsideTornLine } from "./set-aside-torn-line.ts";
import { verifyLog } from "./verify-log.ts";

/** A run that can go on: its log open at the end, and what it knew there. */
export interface ReopenedRun {
  writer: EventWriter;
  rebuilt: RebuiltRun;
  /** For the bus. */
  firstSeq: number;
  /** File beside the log that now holds its torn last line, when it had one. */
  tornLineKeptIn: string | undefined;
}

/**
 * Opens a run's log to go on with it. Only a log that is whole, or whole up to where a kill broke it off, is gone on
 * with; a torn last line is set aside.
 * @throws RuiZNError input_invalid (no such run, or a damaged log), log_unwritable (another process writes it)
 */
export function reopenRun(
  place: RunPlace,
  runId: string,
  options: { fsync?: FsyncMode | undefined; watch?: RebuildWatch } = {},
): ReopenedRun {
  const folder = openRunFolder(place, runId);
  try {
    // Claimed first: from here on nobody is in the middle of the last line.
    const claim = RunClaim.take(folder);
    try {
      return reopenClaimed({ folder, claim, runId, ...options });
    } catch (error) {
      claim.release();
      throw error;
    }
  } catch (error) {
    folder.close();
    if (error instanceof RuiZNError) throw error;
    throw new RuiZNError("log_unwritable", `${folder.path} can't be gone on with (${errorCode(error)})`, {
      cause: error,
    });
  }
}

function reopenClaimed(run: {
  folder: Folder;
  claim: RunClaim;
  runId: string;
  fsync?: FsyncMode | undefined;
  watch?: RebuildWatch;
}): ReopenedRun {
  const { folder, claim, runId, fsync, watch } = run;
  const report = verifyLog(folder.path);
  refuseDamaged(report, runId);
  const rebuilt = rebuild(eventsOf(readEvents(folder.path)), watch);
  const tornLineKeptIn = report.tornBytes > 0 ? setAsideTornLine(folder, report) : undefined;
  const writer = EventWriter.append({ folder, claim, end: report.end, fsync });
  return { writer, rebuilt, firstSeq: report.nextSeq, tornLineKeptIn };
}

function refuseDamaged({ problems, end }: LogReport, runId: string): void {
  const damage = problems.find(({ kind }) => kind !== "torn" && kind !== "unsealed");
  if (damage) {
    const { line, message } = damage;
    throw new RuiZNError("input_invalid", `the log of run ${runId} is damaged at line ${line}: ${message}`, {
      hint: `\`ruizn log verify ${runId}\` shows all of it; start a new run`,
    });
  }
  if (end.events === 0) throw new RuiZNError("input_invalid", `the log of run ${runId} holds no event`);
}

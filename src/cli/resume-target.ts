import { RuiZNError } from "../errors.ts";
import type { RunStartedEvent } from "../events/run-event.ts";
import { openRunFolder, type RunPlace } from "../events/run-folder.ts";
import { listRuns, summarizeRun } from "../log/summarize-run.ts";
import { canonicalRoot } from "../sandbox/guard/canonical-root.ts";
import type { CommandOptions } from "./command-options.ts";
import type { KnownRuns } from "./known-runs.ts";
import type { ParsedCommand } from "./program.ts";

export interface ResumeTarget {
  runId: string;
  started: RunStartedEvent;
}

/** Providers of runs that are no conversation with a model: `tools call` and `replay`. */
const NOT_GONE_ON_WITH = ["none", "replay"];

/**
 * The run that --resume or --continue names.
 * @throws RuiZNError usage_invalid, input_invalid, workspace_untrusted
 */
export function resumeTarget(
  { oneOff, flags }: Pick<ParsedCommand, "oneOff" | "flags">,
  options: CommandOptions,
  known: KnownRuns,
): ResumeTarget {
  const { resume, continue: latest } = oneOff;
  if (resume !== undefined && latest !== undefined) throw usage("--resume and --continue exclude each other");
  if (options.settings.log === false) throw usage("a run goes on in its log, which --no-log switches off");
  const workspace = canonicalRoot(options.workspace);
  const place = { workspace, runsDir: options.settings.log_dir };
  const target = resume === undefined ? latestRun(place) : namedRun(place, resume);
  // A log folder that the user named is the user's; the workspace may be anybody's.
  const trusted = place.runsDir !== undefined || options.trusted || known.has(target.runId, workspace);
  if (!trusted) {
    throw new RuiZNError(
      "workspace_untrusted",
      `run ${target.runId} is not known to have been made here by you, and its log says what would be done`,
      { hint: "when you know where the log comes from: --trust-workspace" },
    );
  }
  if (flags.model !== undefined && flags.model !== target.started.model) {
    throw usage(`run ${target.runId} was made with ${target.started.model}; leave --model out`);
  }
  return target;
}

function namedRun(place: RunPlace, runId: string): ResumeTarget {
  const folder = openRunFolder(place, runId);
  folder.close();
  const { started } = summarizeRun(folder.path);
  if (started) return { runId, started };
  throw new RuiZNError("input_invalid", `the log of run ${runId} does not begin like a run`, {
    hint: `\`ruizn log verify ${runId}\` says what is there; start a new run`,
  });
}

function latestRun(place: RunPlace): ResumeTarget {
  for (const { runId, started } of listRuns(place)) {
    if (started && !NOT_GONE_ON_WITH.includes(started.provider)) return { runId, started };
  }
  throw new RuiZNError("input_invalid", `there is no run in ${place.workspace} to go on with`, {
    hint: "`ruizn runs list` shows the runs there are",
  });
}

function usage(message: string): RuiZNError {
  return new RuiZNError("usage_invalid", message);
}

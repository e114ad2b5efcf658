import { RuiZNError } from "../errors.ts";
import type { Subscriber } from "../events/event-bus.ts";
import type { FsyncMode } from "../events/event-writer.ts";
import type { RunStartedEvent } from "../events/run-event.ts";
import type { RunPlace } from "../events/run-folder.ts";
import { type ReopenedRun, reopenRun } from "../log/reopen-run.ts";
import type { ToolUseBlock } from "../messages.ts";
import type { Provider } from "../provider/provider.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { RunHistory } from "./run-history.ts";

export interface ResumeOptions {
  /** The run to go on with. Its log must be one that you trust: it says what the model is told. */
  runId: string;
  /**
   * Whether a call is made again that was under way when the run broke off and may have written; otherwise the model
   * is told that it may have happened. Default: it is not made again.
   */
  repeatWrite?: (call: ToolUseBlock) => Promise<boolean>;
  /** Goes on with the tools that are offered now, whatever the run was begun with. */
  changedTools?: boolean;
}

/** A run that goes on, with what it did so far. */
export interface PastRun extends ReopenedRun {
  history: RunHistory;
}

/**
 * Opens the log of the run and reads what it did, which is told to those who count it.
 * @throws RuiZNError input_invalid, log_unwritable
 */
export function openPastRun(
  place: RunPlace,
  { runId, fsync, told }: { runId: string; fsync: FsyncMode | undefined; told: readonly Subscriber[] },
): PastRun {
  const history = new RunHistory();
  const reopened = reopenRun(place, runId, {
    fsync,
    watch: (stamped, context) => {
      for (const subscriber of told) void subscriber.onEvent(stamped);
      history.take(stamped, context);
    },
  });
  return { ...reopened, history };
}

/**
 * A conversation is gone on with by the model and in the workspace that it was begun with, or not at all.
 * @returns the tools to offer: those that it was begun with
 * @throws RuiZNError input_invalid
 */
export function sameConditions(
  past: PastRun,
  now: {
    provider: Provider;
    root: string;
    tools: readonly BaseTool[];
    resume: ResumeOptions;
    further: string | undefined;
  },
): BaseTool[] {
  const { started } = past.rebuilt;
  const { provider, root, resume, tools } = now;
  const refuse = refusal(resume.runId);
  if (started.provider !== provider.name || started.model !== provider.model) {
    const was = `${started.provider} ${started.model}`;
    throw refuse(`was made with ${was}, not ${provider.name} ${provider.model}`, `go on with ${was}`);
  }
  if (started.workspace !== root) {
    throw refuse(`was made in ${started.workspace}, not ${root}`, `-C ${started.workspace}`);
  }
  refuseEnded(past, now.further, refuse);
  return resume.changedTools ? [...tools] : sameTools(started, tools, refuse);
}

type Refuse = (why: string, hint: string) => RuiZNError;

function refusal(runId: string): Refuse {
  return (why, hint) => new RuiZNError("input_invalid", `run ${runId} ${why}`, { hint });
}

function refuseEnded({ rebuilt, history }: PastRun, further: string | undefined, refuse: Refuse): void {
  const { end } = history.breakPoint(rebuilt);
  if (!end || !rebuilt.finished || further !== undefined) return;
  throw refuse(
    `came to its end (${rebuilt.finished.terminal_reason}): there is nothing to go on with`,
    'give it something more to do: --resume ID --goal "…"',
  );
}

function sameTools(started: RunStartedEvent, tools: readonly BaseTool[], refuse: Refuse): BaseTool[] {
  const offered = new Set(tools.map(({ name }) => name));
  const missing = started.tools.filter((name) => !offered.has(name));
  if (missing.length > 0) {
    throw refuse(
      `had tools that are not offered now: ${missing.join(", ")}`,
      "start it with the flags that it was begun with (--sandbox, --allowed-tools), or with --allow-changed-tools",
    );
  }
  const kept: BaseTool[] = [];
  for (const tool of tools) if (started.tools.includes(tool.name)) kept.push(tool);
  return kept;
}

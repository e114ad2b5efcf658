import { ExecutionContext } from "../context/execution-context.ts";
import { RuiZNError } from "../errors.ts";
import type {
  RunFinishedEvent,
  RunStartedEvent,
  StampedEvent,
  ToolCallFinishedEvent,
  ToolCallStartedEvent,
} from "../events/run-event.ts";
import { type ToolResultBlock, toolResultBlock, type ToolUseBlock } from "../messages.ts";

/** A tool use that has no answer. */
export interface OpenCall {
  use: ToolUseBlock;
  /** `interrupted`: it was started, and whatever it does may have happened. */
  state: "not_started" | "interrupted";
  /** False when the tool may write, or when the log does not say. */
  readOnly: boolean;
  /** How often it was started; more than once when the run broke off before. */
  starts: number;
}

/** A run as far as its log tells it: what is needed to go on. */
export interface RebuiltRun {
  started: RunStartedEvent;
  /** Holds no answer of a turn whose calls have not all finished: the API takes all of a turn's answers at once. */
  context: ExecutionContext;
  /** Answers of the turn under way, for `addToolResults` together with those of `open`. */
  answered: ToolResultBlock[];
  /** In call order; empty when no turn is under way. */
  open: OpenCall[];
  /** A step that was started and not finished. */
  openStep: number | undefined;
  /** The end of the run, when its last session came to one. */
  finished: RunFinishedEvent | undefined;
}

/** Told of each event when the context is what the run knew after it. */
export type RebuildWatch = (stamped: StampedEvent, context: ExecutionContext) => void;

/**
 * Makes a run's context anew from its events alone, by the rules that made the first one.
 * @throws RuiZNError input_invalid, naming the event that does not fit those before it
 */
export function rebuild(events: Iterable<StampedEvent>, watch?: RebuildWatch): RebuiltRun {
  let replay: Replay | undefined;
  for (const stamped of events) {
    const { seq, run_id } = stamped.stamp;
    try {
      if (replay) replay.take(stamped);
      else replay = new Replay(startOf(stamped), run_id);
      watch?.(stamped, replay.context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      throw new RuiZNError("input_invalid", `event ${seq} of run ${run_id} does not fit its log: ${why}`, {
        hint: "`ruizn log verify` says whether the log was altered",
        cause: error,
      });
    }
  }
  if (!replay) throw new RuiZNError("input_invalid", "the log holds no event");
  return replay.result();
}

function startOf({ event }: StampedEvent): RunStartedEvent {
  if (event.type !== "run.started") throw new RuiZNError("input_invalid", `it begins with ${event.type}`);
  return event;
}

interface StartedCall {
  readOnly: boolean;
  starts: number;
  /** Started, and not closed since. */
  underWay: boolean;
}

const NEVER_STARTED: StartedCall = { readOnly: false, starts: 0, underWay: false };

class Replay {
  readonly #started: RunStartedEvent;
  readonly context: ExecutionContext;
  #calls = new Map<string, StartedCall>();
  #answers = new Map<string, ToolResultBlock>();
  #openStep: number | undefined;
  #finished: RunFinishedEvent | undefined;

  constructor(started: RunStartedEvent, runId: string) {
    this.#started = started;
    this.context = new ExecutionContext({ goal: started.goal, runId });
  }

  take({ event }: StampedEvent): void {
    switch (event.type) {
      case "run.started":
        this.#finished = undefined;
        return;
      case "run.finished":
        this.#finished = event;
        return;
      case "step.started":
        this.#openStep = this.context.beginStep();
        return;
      case "step.finished":
        this.#openStep = undefined;
        return;
      case "llm.response":
        this.context.addResponse(event.content, event.usage);
        return;
      case "user.text":
        this.context.addUserText(event.text);
        return;
      case "context.cleared":
        this.context.clearToolResults(event.cleared);
        return;
      case "context.summarised":
        this.context.summarise(event);
        return;
      case "tool_call.started":
        this.#start(event);
        return;
      case "tool_call.finished":
        this.#answer(event);
        return;
      default: // the other events change nothing that the model is told
    }
  }

  result(): RebuiltRun {
    const waiting = this.context.openToolUses();
    return {
      started: this.#started,
      context: this.context,
      answered: [...this.#answers.values()],
      open: waiting.filter(({ id }) => !this.#answers.has(id)).map((use) => this.#openCall(use)),
      openStep: this.#openStep,
      finished: this.#finished,
    };
  }

  #openCall(use: ToolUseBlock): OpenCall {
    const { underWay, readOnly, starts } = this.#calls.get(use.id) ?? NEVER_STARTED;
    return { use, state: underWay ? "interrupted" : "not_started", readOnly, starts };
  }

  #start({ call_id, read_only }: ToolCallStartedEvent): void {
    const starts = (this.#calls.get(call_id)?.starts ?? 0) + 1;
    this.#calls.set(call_id, { readOnly: read_only === true, starts, underWay: true });
  }

  #answer({ call_id, content, is_error, superseded }: ToolCallFinishedEvent): void {
    const call = this.#calls.get(call_id);
    if (call) call.underWay = false;
    if (superseded === true) return;
    const waiting = this.context.openToolUses();
    // A call that no response asked for (`ruizn tools call`) is no part of a conversation.
    if (!waiting.some(({ id }) => id === call_id)) return;
    this.#answers.set(call_id, toolResultBlock(call_id, { content, isError: is_error }));
    if (this.#answers.size < waiting.length) return;
    this.context.addToolResults([...this.#answers.values()]);
    this.#calls = new Map();
    this.#answers = new Map();
  }
}

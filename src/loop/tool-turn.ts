import {
  GuardViolationEvent,
  ToolCallFinishedEvent,
  ToolCallProgressedEvent,
  ToolCallStartedEvent,
} from "../events/run-event.ts";
import { type ToolResultBlock, toolResultBlock, type ToolUseBlock } from "../messages.ts";
import type { ToolNote } from "../tools/invoke-tool.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import type { LoopDeps } from "./agent-loop.ts";

/** What was done of a turn before the run broke off. */
export interface DoneBefore {
  /** Answers that it has already. */
  answered: readonly ToolResultBlock[];
  /** How often each call was started that has no answer. */
  starts: ReadonlyMap<string, number>;
}

export interface ToolTurn {
  step: number;
  /** Those to be called. */
  toolUses: readonly ToolUseBlock[];
  refusal: string | undefined;
  before?: DoneBefore;
}

/**
 * Answers every tool use of one turn: at most `parallel` run at a time, those that may write one after the other in call
 * order, for two edits of one file would lose one. All results go into one user message in call order. With `refusal` set
 * nothing is run and every call is answered with it.
 * @throws only what the event bus throws; calls that are running are awaited first.
 */
export async function runToolCalls(deps: LoopDeps, turn: ToolTurn): Promise<void> {
  const results = new Map<string, ToolResult>();
  let next = 0;
  let writer: Promise<unknown> = Promise.resolve();
  const lane = async (): Promise<void> => {
    for (let use = turn.toolUses[next++]; use; use = turn.toolUses[next++]) {
      const call = use;
      const run = () => runToolCall(deps, turn, call);
      const answer = deps.isReadOnly(call.name) ? run() : writer.then(run);
      if (!deps.isReadOnly(call.name)) writer = answer.catch(() => {});
      results.set(call.id, await answer);
    }
  };
  const lanes = Array.from({ length: Math.min(deps.parallel, turn.toolUses.length) }, lane);
  const settled = await Promise.allSettled(lanes);
  const failed = settled.find((outcome) => outcome.status === "rejected");
  if (failed) throw failed.reason;
  const answers = turn.toolUses.map((use) => asBlock(use, results.get(use.id)));
  deps.context.addToolResults([...(turn.before?.answered ?? []), ...answers]);
}

async function runToolCall(
  deps: LoopDeps,
  { step, refusal, before }: ToolTurn,
  use: ToolUseBlock,
): Promise<ToolResult> {
  const { bus } = deps;
  const starts = before?.starts.get(use.id) ?? 0;
  bus.publish(
    new ToolCallStartedEvent({
      step,
      call_id: use.id,
      name: use.name,
      input: use.input,
      read_only: deps.isReadOnly(use.name),
      ...(starts > 0 && { attempt: starts + 1 }),
    }),
  );
  const notes = new CallNotes(deps, { step, call_id: use.id, name: use.name });
  const result =
    refusal === undefined ? await deps.invoke(use, (note) => notes.take(note)) : notRun(use, refusal);
  notes.end();
  if (result.violation) {
    bus.publish(new GuardViolationEvent({ step, call_id: use.id, name: use.name, ...result.violation }));
  }
  bus.publish(
    new ToolCallFinishedEvent({
      step,
      call_id: use.id,
      name: use.name,
      is_error: result.isError,
      error_type: result.errorType,
      duration_ms: result.durationMs,
      bytes_shown: result.bytesShown,
      bytes_total: result.bytesTotal,
      truncated: result.truncated,
      content: result.content,
      data: result.data,
      isolation: result.isolation,
      seal: result.seal,
    }),
  );
  deps.budget.afterCall(result);
  return result;
}

/** Publishes what a tool says while its call runs. It comes at any time, when nobody could catch what the bus throws. */
class CallNotes {
  readonly #bus: LoopDeps["bus"];
  readonly #call: { step: number; call_id: string; name: string };
  #over = false;
  #failure: { error: unknown } | undefined;

  constructor({ bus }: LoopDeps, call: { step: number; call_id: string; name: string }) {
    this.#bus = bus;
    this.#call = call;
  }

  take({ level, text, share }: ToolNote): void {
    if (this.#over || this.#failure) return;
    try {
      const part = share === undefined ? {} : { share };
      this.#bus.publish(new ToolCallProgressedEvent({ ...this.#call, level, text, ...part }));
    } catch (error) {
      this.#failure = { error };
    }
  }

  /** @throws what the bus threw */
  end(): void {
    this.#over = true;
    if (this.#failure) throw this.#failure.error;
  }
}

function notRun(use: ToolUseBlock, reason: string): ToolResult {
  return {
    callId: use.id,
    toolName: use.name,
    isError: true,
    errorType: "cancelled",
    content: [{ type: "text", text: `cancelled: ${reason}` }],
    data: {},
    durationMs: 0,
    bytesShown: Buffer.byteLength(reason),
    bytesTotal: null,
    truncated: false,
    isolation: "none",
    seal: "none",
  };
}

function asBlock(use: ToolUseBlock, result: ToolResult | undefined): ToolResultBlock {
  return toolResultBlock(use.id, result ?? notRun(use, "the run ended before the call was made"));
}

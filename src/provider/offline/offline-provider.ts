import { setImmediate as nextTick } from "node:timers/promises";
import { RuiZNError } from "../../errors.ts";
import { NO_USAGE } from "../../messages.ts";
import type { ModelRequest, ModelResponse, Provider, StreamSink } from "../provider.ts";
import { planTurn } from "./planner.ts";

/** Pieces between two looks at the abort signal, which only another turn of the event loop can set. */
const PIECES_PER_TICK = 64;

/**
 * The provider without a network and without a model: it plans tool calls by fixed rules from goals that name files
 * or ask to list, find or search, and answers from what came back. Deterministic; it keeps nothing between calls.
 */
export class OfflineProvider implements Provider {
  readonly name = "offline";
  readonly model = "offline-planner";
  readonly contextWindow = Number.POSITIVE_INFINITY;

  /** @throws RuiZNError aborted */
  async stream(request: ModelRequest, sink: StreamSink, signal: AbortSignal): Promise<ModelResponse> {
    stopWhenAborted(signal);
    const turn = planTurn(request.messages, request.tools);
    await streamText(turn.text.text, sink, signal);
    return {
      id: `msg_offline_${request.messages.length}`,
      model: this.model,
      content: [turn.text, ...turn.uses],
      stopReason: turn.stopReason,
      ...(turn.refusal !== undefined && { stopDetails: turn.refusal }),
      cutToolUses: 0,
      usage: { ...NO_USAGE },
      timeToFirstTokenMs: 0,
    };
  }
}

async function streamText(text: string, sink: StreamSink, signal: AbortSignal): Promise<void> {
  let pieces = 0;
  for (const [piece] of text.matchAll(/\p{Script=Han}{1,4}|[^\s\p{Script=Han}]{1,80}\s*|\s+/gu)) {
    if (++pieces % PIECES_PER_TICK === 0) await nextTick();
    stopWhenAborted(signal);
    sink.onText(piece);
  }
}

function stopWhenAborted(signal: AbortSignal): void {
  if (signal.aborted) throw new RuiZNError("aborted", "the run was aborted", { cause: signal.reason });
}

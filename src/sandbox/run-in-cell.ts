import { LIMITS } from "../limits.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { CallDeadline, CallEnd } from "./call-deadline.ts";
import { EndedCall } from "./ended-call.ts";
import type { MemoryWatch, WatchedCall } from "./memory-watch.ts";
import type { Nonces } from "./nonces.ts";
import type { CallNote, ToolTask } from "./protocol.ts";
import type { ToolCell } from "./tool-cell.ts";

const CRASH_TEXT_MAX_CHARS = 300;
const MB = 1_048_576;

/**
 * Hands one call to a worker and waits for what comes back, under the call's deadline and the memory watch.
 * @returns the reply, untrusted, and the nonce it must carry.
 * @throws when the call was ended or the worker died: `endOf` says which.
 */
export async function runInCell(options: {
  cell: ToolCell;
  tool: BaseTool;
  input: unknown;
  call: CallDeadline;
  memory: MemoryWatch;
  nonces: Nonces;
  onNote?: ((note: CallNote) => void) | undefined;
}): Promise<{ reply: unknown; nonce: string }> {
  const { cell, tool, input, call } = options;
  const memory = cell.memory ?? options.memory;
  const nonce = options.nonces.next();
  const task: ToolTask = {
    nonce,
    input,
    remainingMs: call.remainingMs,
    ...(tool.module === undefined
      ? { body: tool.body ?? tool.name }
      : { module: tool.module, ...(tool.body !== undefined && { body: tool.body }) }),
  };
  const watched: WatchedCall = {
    builtIn: tool.module === undefined,
    end: (grownBytes) => call.end(outgrown(grownBytes)),
  };
  call.phase = "running";
  memory.add(watched);
  try {
    const reply = await cell.run(task, call.signal, {
      onFlood: (messages) => call.end(flooded(messages)),
      ...(options.onNote && { onNote: options.onNote }),
    });
    return { reply, nonce };
  } finally {
    memory.remove(watched);
  }
}

/** Why a call ended that did not come back by itself. */
export function endOf(call: CallDeadline, error: unknown): CallEnd {
  if (call.ended) return call.ended;
  if (error instanceof EndedCall) return error.end;
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code === "ERR_WORKER_OUT_OF_MEMORY") {
    return {
      errorType: "memory_limit",
      message: `the tool used up its heap of ${LIMITS.workerHeapMb} MB and was stopped; ask for less at once`,
    };
  }
  return {
    errorType: "worker_crash",
    message: `the tool's worker died: ${oneLine(message)}; do not call it the same way again`,
  };
}

function outgrown(grownBytes: number): CallEnd {
  const grownMb = Math.round(grownBytes / MB);
  return {
    errorType: "memory_limit",
    message: `memory grew by ${grownMb} MB during the call (limit ${LIMITS.memoryGrowthMaxBytes / MB} MB) and the tool was stopped; ask for less at once`,
  };
}

function flooded(messages: number): CallEnd {
  return {
    errorType: "worker_crash",
    message: `the tool sent ${messages} messages besides its result and was stopped; do not call it the same way again`,
  };
}

/** Text that a worker had a hand in: one line, bounded, no control characters. */
function oneLine(text: string | undefined): string {
  const line = (text ?? "")
    .toWellFormed()
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  if (line === "") return "no reason was given";
  return line.length > CRASH_TEXT_MAX_CHARS ? `${line.slice(0, CRASH_TEXT_MAX_CHARS).toWellFormed()}…` : line;
}

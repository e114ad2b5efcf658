import { dirname, join } from "node:path";
import type { ToolReply } from "../src/sandbox/protocol.ts";

/** Below this, copying is quicker than giving a buffer from one heap to another (measured: they meet at 16 KB). */
const MOVE_MIN_BYTES = 16_384;

/**
 * Marks a reply as piscina's `move` does, so that its bytes change hands instead of being copied. Done by hand because
 * loading piscina's main file would cost every worker 6 ms of its start; the three symbols are loaded in a worker
 * already. Without them the bytes are copied, which is slower and nothing else.
 */
export function moveBytes(reply: ToolReply): unknown {
  if (!reply.bytes || reply.bytes.byteLength < MOVE_MIN_BYTES || !SYMBOLS) return reply;
  return {
    [SYMBOLS.kMovable]: true,
    [SYMBOLS.kTransferable]: reply.bytes.buffer,
    [SYMBOLS.kValue]: reply,
  };
}

interface PiscinaSymbols {
  kMovable: symbol;
  kTransferable: symbol;
  kValue: symbol;
}

const SYMBOLS = loadedSymbols();

function loadedSymbols(): PiscinaSymbols | undefined {
  // The file that runs the thread is piscina's own worker.js, and its symbols lie beside it.
  const found = require.cache[join(dirname(process.argv[1] ?? ""), "symbols.js")];
  return found?.exports as PiscinaSymbols | undefined;
}

// The worker's own part of a call, made in this thread: no other thread, no message, no seal. What is left of a call
// without it is the way there and back, and what the main thread checks.
import { createRequire } from "node:module";
import { statistics } from "./statistics.mjs";

/** @returns milliseconds of one call, the median of many. */
export async function workerAlone(root, { body, input, calls }) {
  const { default: handle } = createRequire(import.meta.url)("../../dist/workers/tool-worker.cjs");
  await handle({ ready: { root, profile: "read", seal: "off", readPaths: [] } });
  const times = [];
  for (let call = 0; call < calls; call += 1) {
    const startedAt = performance.now();
    const reply = await handle({ nonce: "0".repeat(32), body, input, remainingMs: 60_000 });
    times.push(performance.now() - startedAt);
    const { head } = "head" in reply ? reply : Object.assign({}, ...symbolValues(reply));
    if (!head.includes('"ok":true')) throw new Error(head);
  }
  return statistics(times.slice(Math.floor(calls / 4))).median;
}

/** A reply whose bytes are to be moved lies behind piscina's symbols. */
const symbolValues = (reply) => Object.getOwnPropertySymbols(reply).map((symbol) => reply[symbol]);

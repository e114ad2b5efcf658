import { createRequire } from "node:module";
import type * as Koffi from "koffi";

/**
 * Ends the process at once with this exit code, whatever its threads do: `process.exit` waits for every worker, and
 * one that is stuck in a system call never ends. Nothing is flushed and no exit handler runs: write and close first.
 * Without koffi there is no way past a stuck thread but SIGKILL, and the code is then 137.
 */
export function lastExit(code: number): never {
  exitByLibc(code);
  process.kill(process.pid, "SIGKILL");
  // The signal is on its way; nothing of this process may run on.
  for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}

/** Returns only when koffi or the call is not to be had. */
function exitByLibc(code: number): void {
  try {
    const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
    koffi.load(null).func("void _exit(int code)")(code);
  } catch {
    // Optional: the caller has its other way out.
  }
}

import { lastExit } from "../sandbox/last-exit.ts";

/** With what the pool waits for its threads (half a second), the process is gone a second after the run's end. */
const PATIENCE_MS = 400;

/**
 * Lets the process end by itself with this code, but not for long: a thread that is stuck in a system call would keep
 * it for ever, an open connection for a while. Everything written must have been drained.
 */
export function leaveSoon(code: number): void {
  process.exitCode = code;
  setTimeout(() => {
    // process.exit waits for threads; a port that is still open belongs to one.
    if (process.getActiveResourcesInfo().includes("MessagePort")) lastExit(code);
    process.exit(code);
  }, PATIENCE_MS).unref();
}

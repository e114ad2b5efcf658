import { setMaxListeners } from "node:events";
import type { ToolErrorType } from "../errors.ts";

/** How a call that did not come back by itself ended. */
export interface CallEnd {
  errorType: Extract<
    ToolErrorType,
    "timeout" | "cancelled" | "memory_limit" | "worker_crash" | "seal_unavailable"
  >;
  message: string;
}

const TIMEOUT_MESSAGES = {
  queued: (ms: number) =>
    `no worker was free within ${ms} ms, so the call never began; make fewer calls at once or try again`,
  starting: (ms: number) => `no worker was ready within ${ms} ms, so the call never began; try again`,
  running: (ms: number) =>
    `still running after ${ms} ms and stopped; ask for less (a smaller range, a narrower path or pattern) or try once more`,
};

/** Milliseconds a call may take at most: beyond it Node's timers fire at once. */
const TIMEOUT_MAX_MS = 2_147_483_647;

/**
 * The one clock of a call: it starts before the call queues, and whatever ends the call early (deadline, run, memory
 * watch, flood) ends it here, once.
 */
export class CallDeadline {
  /** How far the call has come: said in the message when the deadline passes. */
  phase: "queued" | "starting" | "running" = "queued";
  readonly #abort = new AbortController();
  readonly #timeoutMs: number;
  readonly #startedAt = performance.now();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;
  #end: CallEnd | undefined;

  constructor(options: { signal: AbortSignal; timeoutMs: number }) {
    this.#timeoutMs = Math.min(Math.max(1, Math.ceil(options.timeoutMs)), TIMEOUT_MAX_MS);
    this.#timer = setTimeout(this.#onTimeout, this.#timeoutMs);
    this.#outer = options.signal;
    // One run's signal serves any number of calls at once; Node would warn at the eleventh.
    setMaxListeners(0, this.#outer);
    if (this.#outer.aborted) this.#onOuterAbort();
    else this.#outer.addEventListener("abort", this.#onOuterAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Set once the call was ended from outside. */
  get ended(): CallEnd | undefined {
    return this.#end;
  }

  get remainingMs(): number {
    return Math.max(0, this.#timeoutMs - (performance.now() - this.#startedAt));
  }

  end(end: CallEnd): void {
    if (this.#end) return;
    this.#end = end;
    this.#abort.abort();
  }

  /** Settles as `pending` does, or rejects as soon as the call is ended. */
  async race<T>(pending: Promise<T>): Promise<T> {
    this.signal.throwIfAborted();
    let onAbort: (() => void) | undefined;
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(this.signal.reason as Error);
      this.signal.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([pending, aborted]);
    } finally {
      if (onAbort) this.signal.removeEventListener("abort", onAbort);
    }
  }

  /** To be called when the call is over, however it ended. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener("abort", this.#onOuterAbort);
  }

  readonly #onOuterAbort = (): void => {
    this.end({ errorType: "cancelled", message: "the run was cancelled before the call finished" });
  };

  readonly #onTimeout = (): void => {
    this.end({ errorType: "timeout", message: TIMEOUT_MESSAGES[this.phase](this.#timeoutMs) });
  };
}

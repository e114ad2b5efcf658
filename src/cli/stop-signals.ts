import { INTERRUPT_SIGNALS, type InterruptSignal } from "../runner/run-result.ts";
import { exitCodeOfSignal } from "./exit-codes.ts";

/** How long a stopped run may take to end in order. */
const GRACE_MS = 1_000;

/** Turns signals into an abort. The handlers stay until the process ends: it may still be writing after the run. */
export class StopSignals {
  readonly #leave: (code: number) => void;
  #controller: AbortController | undefined;

  /** `leave` ends the process at once. */
  constructor(leave: (code: number) => void) {
    this.#leave = leave;
  }

  /**
   * Aborted by the first signal, with its name as the reason. The second signal leaves at once, and so does a run
   * that does not end in time. Before the first call signals do what they do by themselves.
   */
  signal(): AbortSignal {
    if (this.#controller) return this.#controller.signal;
    this.#controller = new AbortController();
    for (const name of INTERRUPT_SIGNALS) process.on(name, () => this.#received(name));
    return this.#controller.signal;
  }

  #received(name: InterruptSignal): void {
    const code = exitCodeOfSignal(name);
    if (this.#controller?.signal.aborted) this.#leave(code);
    setTimeout(() => this.#leave(code), GRACE_MS).unref();
    this.#controller?.abort(name);
  }
}

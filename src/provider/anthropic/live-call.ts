import type { AnthropicSettings } from "./anthropic-options.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** After its last event a connection is given this long to end in good order, so that it can be used again. */
const CLOSING_MS = 250;

/** What ends a request before its time: the run's signal, or silence. */
export class LiveCall {
  readonly #ender = new AbortController();
  readonly #outer: AbortSignal;
  readonly #watch: SilenceWatch;
  readonly #idleMs: number;
  readonly #startedAt = performance.now();
  #firstByteAt: number | undefined;
  /** How long the server was silent, when that has ended the call. */
  silentMs: number | undefined;

  constructor(settings: AnthropicSettings, outer: AbortSignal) {
    this.#outer = outer;
    this.#idleMs = settings.idleTimeoutMs;
    this.#watch = new SilenceWatch(settings.firstByteTimeoutMs, (ms) => {
      this.silentMs = ms;
      this.#end();
    });
    outer.addEventListener("abort", this.#end, { once: true });
    if (outer.aborted) this.#end();
  }

  get signal(): AbortSignal {
    return this.#ender.signal;
  }

  get answered(): boolean {
    return this.#firstByteAt !== undefined;
  }

  /** From the request to the first byte of the body. */
  get firstByteMs(): number {
    return (this.#firstByteAt ?? performance.now()) - this.#startedAt;
  }

  readonly onBytes = (): void => {
    if (this.#firstByteAt === undefined) {
      this.#firstByteAt = performance.now();
      this.#watch.limit(this.#idleMs);
    } else this.#watch.heard();
  };

  closing(): void {
    this.#watch.limit(CLOSING_MS);
  }

  close(): void {
    this.#watch.stop();
    this.#outer.removeEventListener("abort", this.#end);
    this.#end();
  }

  readonly #end = (): void => this.#ender.abort();
}

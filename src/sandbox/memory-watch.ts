/** A call as the watch sees it. */
export interface WatchedCall {
  /** Built-in bodies are bounded by their own code: they are ended only when no other call runs. */
  readonly builtIn: boolean;
  end(grownBytes: number): void;
}

const POLL_MS = 20;
/** A measurement this old is no base line for a new call any more. */
const BASELINE_MAX_AGE_MS = 250;

/**
 * Ends calls when a process grows: a thread's resourceLimits count its heap alone, not what lies outside (array
 * buffers). Looks only while calls run, and never keeps the process alive.
 */
export class MemoryWatch {
  readonly #growthMaxBytes: number;
  readonly #calls = new Map<WatchedCall, number>();
  #timer: NodeJS.Timeout | undefined;
  readonly #measure: () => number;
  #base = { bytes: 0, at: -BASELINE_MAX_AGE_MS };

  /** @param measure resident bytes of what is watched; by default of this process's worker threads. */
  constructor(growthMaxBytes: number, measure: () => number = workersBytes) {
    this.#growthMaxBytes = growthMaxBytes;
    this.#measure = measure;
  }

  add(call: WatchedCall): void {
    const now = performance.now();
    if (now - this.#base.at >= BASELINE_MAX_AGE_MS) this.#base = { bytes: this.#measure(), at: now };
    this.#calls.set(call, this.#base.bytes);
    this.#timer ??= setInterval(this.#look, POLL_MS).unref();
  }

  remove(call: WatchedCall): void {
    this.#calls.delete(call);
  }

  readonly #look = (): void => {
    if (this.#calls.size === 0) {
      // Stopped here and not in `remove`: calls in a row share one timer.
      clearInterval(this.#timer);
      this.#timer = undefined;
      return;
    }
    const bytes = this.#measure();
    this.#base = { bytes, at: performance.now() };
    const grown = [...this.#calls].filter(([, base]) => bytes - base > this.#growthMaxBytes);
    const foreign = grown.filter(([call]) => !call.builtIn);
    for (const [call, base] of foreign.length > 0 ? foreign : grown) {
      this.#calls.delete(call);
      call.end(bytes - base);
    }
  };
}

/** Resident bytes that are not the main thread's own heap and buffers. */
function workersBytes(): number {
  const usage = process.memoryUsage();
  return usage.rss - usage.heapTotal - usage.external;
}

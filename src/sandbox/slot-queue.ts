/** Lets a fixed number of calls run at once; the others wait in the order they came. */
export class SlotQueue {
  #free: number;
  readonly #waiting: { grant: () => void }[] = [];

  constructor(slots: number) {
    this.#free = slots;
  }

  /** True when a slot was taken at once. */
  tryTake(): boolean {
    if (this.#free === 0) return false;
    this.#free--;
    return true;
  }

  /** Resolves with a slot taken; rejects, with none taken, when the signal aborts first. */
  take(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const entry = {
        grant: () => {
          signal.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      const onAbort = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(entry), 1);
        reject(signal.reason as Error);
      };
      if (signal.aborted) {
        reject(signal.reason as Error);
        return;
      }
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(entry);
    });
  }

  release(): void {
    const next = this.#waiting.shift();
    if (next) next.grant();
    else this.#free++;
  }
}

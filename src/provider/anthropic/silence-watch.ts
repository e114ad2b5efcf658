/** Calls back when a stream has been silent for too long. One timer, not one a chunk. */
export class SilenceWatch {
  readonly #onSilence: (silentMs: number) => void;
  #limitMs: number;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, onSilence: (silentMs: number) => void) {
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#arm(limitMs);
  }

  heard(): void {
    this.#heardAt = performance.now();
  }

  /** Changes how long silence may last, from now on. */
  limit(limitMs: number): void {
    this.#limitMs = limitMs;
    this.#heardAt = performance.now();
    this.#arm(limitMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), ms);
  }

  #look(): void {
    const left = this.#limitMs - (performance.now() - this.#heardAt);
    if (left <= 0) this.#onSilence(this.#limitMs);
    else this.#arm(left);
  }
}

import type { StampedEvent } from "./run-event.ts";

export interface Subscriber {
  readonly name: string;
  /**
   * Told of every event in publishing order. May return a promise: the next event waits for it, and only this
   * subscriber's. One that throws or rejects is dropped after a `subscriber.dropped` event.
   */
  onEvent(stamped: StampedEvent): void | Promise<void>;
  /**
   * Told before all others, and a throw comes out of `publish` instead: the log writer's way to end the run. It must
   * not publish itself.
   */
  readonly essential?: boolean;
}

const COMPACT_AT = 1024;

/** One subscriber and the events that still wait for it. Tells `onThrow` of the first throw and is silent from then on. */
export class Lane {
  readonly #subscriber: Subscriber;
  readonly #onThrow: (error: unknown) => void;
  readonly #waiting: StampedEvent[] = [];
  /** How much of `#waiting` is told already: taking from the front of a long array would cost its length each time. */
  #told = 0;
  #busy: Promise<void> | undefined;
  #stopped = false;

  constructor(subscriber: Subscriber, onThrow: (error: unknown) => void) {
    this.#subscriber = subscriber;
    this.#onThrow = onThrow;
  }

  isOf(subscriber: Subscriber): boolean {
    return this.#subscriber === subscriber;
  }

  get name(): string {
    return this.#subscriber.name;
  }

  get essential(): boolean {
    return this.#subscriber.essential === true;
  }

  get busy(): boolean {
    return this.#busy !== undefined;
  }

  enqueue(stamped: StampedEvent): void {
    if (!this.#stopped) this.#waiting.push(stamped);
  }

  /** Tells at once what an essential subscriber must know before anybody else; in turn when it is still busy. */
  tell(stamped: StampedEvent): void {
    this.enqueue(stamped);
    this.tellNext();
  }

  /** Tells the next event that waits, unless the subscriber is busy. @returns whether one was told. */
  tellNext(): boolean {
    if (this.#busy) return false;
    const stamped = this.#take();
    if (!stamped) return false;
    try {
      const pending = this.#subscriber.onEvent(stamped);
      if (pending) this.#busy = this.#workOff(pending);
    } catch (error) {
      this.#drop(error);
    }
    return true;
  }

  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  #take(): StampedEvent | undefined {
    const stamped = this.#waiting[this.#told];
    if (!stamped) return undefined;
    this.#told += 1;
    if (this.#told === this.#waiting.length || this.#told === COMPACT_AT) {
      this.#waiting.splice(0, this.#told);
      this.#told = 0;
    }
    return stamped;
  }

  async #workOff(first: Promise<void>): Promise<void> {
    try {
      await first;
      for (let next = this.#take(); next; next = this.#take()) await this.#subscriber.onEvent(next);
      this.#busy = undefined;
    } catch (error) {
      this.#busy = undefined;
      this.#drop(error);
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#waiting.length = 0;
    this.#told = 0;
  }

  #drop(error: unknown): void {
    this.stop();
    this.#onThrow(error);
  }
}

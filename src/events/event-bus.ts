import {
  EVENT_SCHEMA_VERSION,
  type RunEvent,
  type StampedEvent,
  SubscriberDroppedEvent,
} from "./run-event.ts";

export interface Subscriber {
  readonly name: string;
  /**
   * Told of every event in publishing order. May return a promise: the next event waits for it, and only this
   * subscriber's. One that throws or rejects is dropped after a `subscriber.dropped` event.
   */
  onEvent(stamped: StampedEvent): void | Promise<void>;
  /** A throw of this subscriber comes out of `publish` instead: the log writer's way to end the run. */
  readonly essential?: boolean;
}

/** Tells every subscriber what happened, in one order. Synchronous subscribers are done when `publish` returns. */
export class EventBus {
  readonly #runId: string;
  readonly #now: () => Date;
  readonly #lanes: Lane[] = [];
  #seq = 0;

  constructor(options: { runId: string; firstSeq?: number; now?: () => Date }) {
    this.#runId = options.runId;
    this.#now = options.now ?? (() => new Date());
    this.#seq = (options.firstSeq ?? 1) - 1;
  }

  subscribe(subscriber: Subscriber): void {
    this.#lanes.push(new Lane(subscriber));
  }

  unsubscribe(subscriber: Subscriber): void {
    const index = this.#lanes.findIndex((lane) => lane.isOf(subscriber));
    if (index >= 0) this.#lanes.splice(index, 1);
  }

  /** @throws what an essential subscriber throws; nothing else. */
  publish(event: RunEvent): void {
    const stamped: StampedEvent = {
      stamp: {
        v: EVENT_SCHEMA_VERSION,
        seq: ++this.#seq,
        ts: this.#now().toISOString(),
        run_id: this.#runId,
      },
      event,
    };
    // Essential subscribers come first, so that nothing is shown that is not on disk.
    for (const lane of this.#lanes) if (lane.essential) lane.deliver(stamped);
    for (const lane of this.#lanes) {
      if (lane.essential || lane.dropped) continue;
      lane.deliver(stamped, (error) => this.#reportDropped(lane, error));
    }
  }

  /** Resolves when every asynchronous subscriber has worked off its queue. */
  async drain(): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.idle()));
  }

  #reportDropped(lane: Lane, error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.publish(new SubscriberDroppedEvent({ subscriber: lane.name, message }));
  }
}

/** One subscriber and the events that still wait for it. */
class Lane {
  readonly #subscriber: Subscriber;
  readonly #waiting: StampedEvent[] = [];
  #busy: Promise<void> | undefined;
  dropped = false;

  constructor(subscriber: Subscriber) {
    this.#subscriber = subscriber;
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

  deliver(stamped: StampedEvent, onDrop?: (error: unknown) => void): void {
    if (this.#busy) {
      this.#waiting.push(stamped);
      return;
    }
    try {
      const pending = this.#subscriber.onEvent(stamped);
      if (pending) this.#busy = this.#workOff(pending, onDrop);
    } catch (error) {
      if (!onDrop) throw error;
      this.#drop(error, onDrop);
    }
  }

  async idle(): Promise<void> {
    while (this.#busy) await this.#busy;
  }

  async #workOff(first: Promise<void>, onDrop: ((error: unknown) => void) | undefined): Promise<void> {
    try {
      await first;
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        await this.#subscriber.onEvent(next);
      }
    } catch (error) {
      this.#drop(error, onDrop);
    } finally {
      this.#busy = undefined;
    }
  }

  #drop(error: unknown, onDrop: ((error: unknown) => void) | undefined): void {
    this.dropped = true;
    this.#waiting.length = 0;
    onDrop?.(error);
  }
}

import { RuiZNError } from "../errors.ts";
import { Lane, type Subscriber } from "./lane.ts";
import {
  EVENT_SCHEMA_VERSION,
  type RunEvent,
  type RunEventType,
  type StampedEvent,
  SubscriberDroppedEvent,
} from "./run-event.ts";

export type { Subscriber } from "./lane.ts";

/** Still told after the log has failed, so that nobody who watches waits for an end that never comes. */
const CLOSING: ReadonlySet<RunEventType> = new Set(["tool_call.finished", "step.finished", "run.finished"]);

/**
 * Tells every subscriber what happened, in one order. Synchronous subscribers are done when `publish` returns; an
 * event published from inside a subscriber is on disk when that `publish` returns, and is shown to the others after
 * the event that is being told.
 */
export class EventBus {
  readonly #runId: string;
  readonly #now: () => Date;
  readonly #redact: (event: RunEvent) => RunEvent;
  #lanes: readonly Lane[] = [];
  #seq: number;
  #last = { ms: Number.NaN, ts: "" };
  #recording = false;
  #telling = false;
  /** Boxed, since anything can be thrown. Set once, and from then on the run can only end. */
  #failure: { error: unknown } | undefined;

  /** `firstSeq` is 1 unless a run's log is continued. `redact` is applied to each event before anybody is told. */
  constructor(options: {
    runId: string;
    firstSeq?: number;
    now?: () => Date;
    redact?: (event: RunEvent) => RunEvent;
  }) {
    this.#runId = options.runId;
    this.#now = options.now ?? (() => new Date());
    this.#redact = options.redact ?? ((event) => event);
    this.#seq = (options.firstSeq ?? 1) - 1;
  }

  subscribe(subscriber: Subscriber): void {
    const lane = new Lane(subscriber, (error) => this.#onThrow(lane, error));
    this.#lanes = [...this.#lanes, lane];
  }

  /** What still waits for it is not told any more. */
  unsubscribe(subscriber: Subscriber): void {
    for (const lane of this.#lanes) if (lane.isOf(subscriber)) lane.stop();
    this.#lanes = this.#lanes.filter((lane) => !lane.isOf(subscriber));
  }

  /**
   * @throws what an essential subscriber threw, now or before; nothing else. Once one has thrown it is told nothing
   * more, and only events that close something (`*.finished`) still reach the others, without a throw.
   */
  publish(event: RunEvent): void {
    if (this.#recording) {
      throw new RuiZNError("internal", `an essential subscriber published ${event.type}`);
    }
    if (this.#failure && !CLOSING.has(event.type)) throw this.#failure.error;
    const failedBefore = this.#failure !== undefined;
    const stamped = this.#stamp(this.#redact(event));
    this.#record(stamped);
    if (this.#failure && !failedBefore) throw this.#failure.error;
    for (const lane of this.#lanes) if (!lane.essential) lane.enqueue(stamped);
    if (!this.#telling) this.#tellAll();
    if (this.#failure && !failedBefore) throw this.#failure.error;
  }

  /**
   * Resolves when every asynchronous subscriber has worked off its queue, what it published meanwhile included; or
   * when the time is over: one that never settles is told no more.
   */
  async drain(timeoutMs: number): Promise<void> {
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), timeoutMs);
    const late = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
    await Promise.race([this.#settled(), late]);
    clearTimeout(timer);
    if (over.signal.aborted) for (const lane of this.#lanes) if (lane.busy) lane.stop();
  }

  async #settled(): Promise<void> {
    let busy = this.#lanes.filter((lane) => lane.busy);
    while (busy.length > 0) {
      await Promise.all(busy.map((lane) => lane.idle()));
      busy = this.#lanes.filter((lane) => lane.busy);
    }
  }

  #stamp(event: RunEvent): StampedEvent {
    const ms = this.#now().getTime();
    // Several tokens come in a millisecond.
    if (ms !== this.#last.ms) this.#last = { ms, ts: new Date(ms).toISOString() };
    const { ts } = this.#last;
    return { stamp: { v: EVENT_SCHEMA_VERSION, seq: ++this.#seq, ts, run_id: this.#runId }, event };
  }

  /** Essential subscribers come first, so that nothing is shown that is not on disk. */
  #record(stamped: StampedEvent): void {
    this.#recording = true;
    for (const lane of this.#lanes) if (lane.essential) lane.tell(stamped);
    this.#recording = false;
  }

  /** One event to all lanes, then the next: what a subscriber publishes meanwhile waits its turn in every lane. */
  #tellAll(): void {
    this.#telling = true;
    try {
      let told = true;
      while (told) {
        told = false;
        for (const lane of this.#lanes) told = lane.tellNext() || told;
      }
    } finally {
      this.#telling = false;
    }
  }

  #onThrow(lane: Lane, error: unknown): void {
    if (lane.essential) {
      this.#failure ??= { error };
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    try {
      this.publish(new SubscriberDroppedEvent({ subscriber: lane.name, message }));
    } catch {
      // The log has failed, which the next publish throws: this one may have no caller that could take it.
    }
  }
}

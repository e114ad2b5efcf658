import { WARN_AT } from "../budget/budget.ts";
import { RuiZNError } from "../errors.ts";
import type { EventBus } from "../events/event-bus.ts";
import { BudgetExceededEvent, BudgetWarningEvent } from "../events/run-event.ts";

/** The longest wait that a timer takes. */
const TIMER_MAX_MS = 2 ** 31 - 1;

/** The time limit of a run: its signal is aborted when the time is over. Without a limit it never is. */
export class RunDeadline {
  readonly #over = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #bus: EventBus | undefined;
  /** Due before anybody could be told. */
  #early: (BudgetWarningEvent | BudgetExceededEvent)[] = [];

  /** `spentMs` is what earlier parts of the run took: the limit is for all of it. */
  constructor({ limitMs: limit, spentMs }: { limitMs: number | undefined; spentMs: number }) {
    if (limit === undefined) return;
    const startedAt = performance.now();
    const spent = () => ({
      budget: "wallClockMs",
      used: Math.round(spentMs + performance.now() - startedAt),
      limit,
    });
    if (spentMs < limit * WARN_AT) {
      this.#at(limit * WARN_AT - spentMs, () => this.#publish(new BudgetWarningEvent(spent())));
    }
    this.#at(limit - spentMs, () => {
      this.#publish(new BudgetExceededEvent(spent()));
      const message = `the run's time limit of ${limit} ms is over`;
      this.#over.abort(new RuiZNError("timeout", message, { hint: "raise --timeout" }));
    });
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** To be called when the run has said that it started: no event comes before that one. */
  tell(bus: EventBus): void {
    this.#bus = bus;
    for (const event of this.#early.splice(0)) this.#publish(event);
  }

  /** Nothing happens any more. */
  clear(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #at(ms: number, act: () => void): void {
    if (ms <= 0) act();
    else this.#timers.push(setTimeout(act, Math.min(ms, TIMER_MAX_MS)));
  }

  #publish(event: BudgetWarningEvent | BudgetExceededEvent): void {
    if (!this.#bus) {
      this.#early.push(event);
      return;
    }
    try {
      this.#bus.publish(event);
    } catch {
      // The log has failed, which the run's next event throws where somebody takes it.
    }
  }
}

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { EventBus, type Subscriber } from "../../src/events/event-bus.ts";
import { LlmTokenEvent, RunFinishedEvent, type StampedEvent } from "../../src/events/run-event.ts";
import { NO_USAGE } from "../../src/messages.ts";

const token = (text: string) => new LlmTokenEvent({ step: 1, text });
const finished = () =>
  new RunFinishedEvent({
    status: "error",
    terminal_reason: "log_failure",
    stop_reason: null,
    steps: 1,
    duration_ms: 1,
    duration_api_ms: 0,
    total_usage: { ...NO_USAGE },
    result: "",
    errors: [],
  });

function recorder(name: string): Subscriber & { seen: string[] } {
  const seen: string[] = [];
  return { name, seen, onEvent: (stamped) => void seen.push(label(stamped)) };
}

function label({ stamp, event }: StampedEvent): string {
  return `${stamp.seq} ${event.type === "llm.token" ? event.text : event.type}`;
}

const newBus = () => new EventBus({ runId: "r", now: () => new Date(0) });

describe("EventBus", () => {
  it("stamps events and tells subscribers in the order they came", () => {
    const bus = newBus();
    const told: unknown[] = [];
    for (const name of ["a", "b"]) {
      bus.subscribe({ name, onEvent: (stamped) => void told.push([name, stamped]) });
    }
    bus.publish(token("x"));
    const stamp = { v: 1, seq: 1, ts: "1970-01-01T00:00:00.000Z", run_id: "r" };
    expect(told).toEqual([
      ["a", { stamp, event: token("x") }],
      ["b", { stamp, event: token("x") }],
    ]);
  });

  it("keeps the order for everybody when a subscriber publishes, and records that event at once", () => {
    const bus = newBus();
    const first = recorder("first");
    const last = recorder("last");
    const log = recorder("log");
    let recordedBeforeReturn = 0;
    bus.subscribe(first);
    bus.subscribe({
      name: "echo",
      onEvent: ({ event }) => {
        if (event.type !== "llm.token" || event.text !== "x") return;
        bus.publish(token("echo"));
        recordedBeforeReturn = log.seen.length;
      },
    });
    bus.subscribe(last);
    bus.subscribe({ ...log, essential: true });
    bus.publish(token("x"));
    const order = ["1 x", "2 echo"];
    expect([first.seen, last.seen, log.seen, recordedBeforeReturn]).toEqual([order, order, order, 2]);
  });

  it("waits for a slow subscriber without holding back the others", async () => {
    const bus = newBus();
    const slow: string[] = [];
    const quick = recorder("quick");
    bus.subscribe({
      name: "slow",
      onEvent: async (stamped) => {
        await new Promise((resolve) => setImmediate(resolve));
        slow.push(label(stamped));
      },
    });
    bus.subscribe(quick);
    for (const text of ["a", "b", "c"]) bus.publish(token(text));
    expect([slow.length, quick.seen]).toEqual([0, ["1 a", "2 b", "3 c"]]);
    await bus.drain(10_000);
    expect(slow).toEqual(quick.seen);
  });

  it("waits no longer than it is told to for one that never settles, which is told no more", async () => {
    const bus = newBus();
    let told = 0;
    let settle = (): void => {};
    bus.subscribe({
      name: "stuck",
      onEvent: () => {
        told += 1;
        return new Promise<void>((resolve) => {
          settle = resolve;
        });
      },
    });
    const quick = recorder("quick");
    bus.subscribe(quick);
    for (const text of ["a", "b"]) bus.publish(token(text));
    const startedAt = performance.now();
    await bus.drain(100);
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    settle();
    bus.publish(token("c"));
    await bus.drain(10_000);
    expect([told, quick.seen]).toEqual([1, ["1 a", "2 b", "3 c"]]);
  });

  it("drops a subscriber that throws and says so once", () => {
    const bus = newBus();
    const other = recorder("other");
    let told = 0;
    bus.subscribe({
      name: "bad",
      onEvent: () => {
        told += 1;
        throw new Error("no");
      },
    });
    bus.subscribe(other);
    bus.publish(token("a"));
    bus.publish(token("b"));
    expect([told, other.seen]).toEqual([1, ["1 a", "2 subscriber.dropped", "3 b"]]);
  });

  it("tells nothing more to a subscriber that left", () => {
    const bus = newBus();
    const gone = recorder("gone");
    const stays = recorder("stays");
    bus.subscribe({ name: "remover", onEvent: () => bus.unsubscribe(gone) });
    bus.subscribe(gone);
    bus.subscribe(stays);
    bus.publish(token("a"));
    expect([gone.seen, stays.seen]).toEqual([[], ["1 a"]]);
  });

  describe("when an essential subscriber throws", () => {
    const full = new RuiZNError("log_unwritable", "disk full");
    function failingBus(failAt: number) {
      const bus = newBus();
      const printer = recorder("printer");
      let told = 0;
      bus.subscribe(printer);
      bus.subscribe({
        name: "log",
        essential: true,
        onEvent: () => {
          told += 1;
          if (told === failAt) throw full;
        },
      });
      return { bus, printer, told: () => told };
    }

    it("throws out of publish, then and for every event that opens something", () => {
      const { bus, printer, told } = failingBus(2);
      bus.publish(token("a"));
      expect(() => bus.publish(token("b"))).toThrow(full);
      expect(() => bus.publish(token("c"))).toThrow(full);
      expect([printer.seen, told()]).toEqual([["1 a"], 2]);
    });

    it("still tells the others how the run ended", () => {
      const { bus, printer } = failingBus(1);
      expect(() => bus.publish(token("a"))).toThrow(full);
      bus.publish(finished());
      expect(printer.seen).toEqual(["2 run.finished"]);
    });

    it("throws out of the outer publish when the inner one failed", () => {
      const { bus } = failingBus(2);
      bus.subscribe({
        name: "bad",
        onEvent: () => {
          throw new Error("no");
        },
      });
      expect(() => bus.publish(token("a"))).toThrow(full);
    });

    it("does not lose the failure when it comes while an asynchronous subscriber is dropped", async () => {
      const { bus } = failingBus(2);
      bus.subscribe({ name: "bad", onEvent: async () => Promise.reject(new Error("no")) });
      bus.publish(token("a"));
      await bus.drain(10_000);
      expect(() => bus.publish(token("b"))).toThrow(full);
    });

    it("takes an essential subscriber that publishes for a failed one", () => {
      const bus = newBus();
      bus.subscribe({ name: "loop", essential: true, onEvent: () => bus.publish(token("again")) });
      expect(() => bus.publish(token("a"))).toThrow("an essential subscriber published llm.token");
    });
  });

  it("shows every subscriber the same sequence without gaps, whatever they do", async () => {
    const behaviour = fc.record({
      slow: fc.boolean(),
      throwsAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: 0 }),
      publishesAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: 0 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(behaviour, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 10 }),
        async (behaviours, count) => {
          const bus = newBus();
          const log = recorder("log");
          bus.subscribe({ ...log, essential: true });
          const seen = behaviours.map((b, i) => subscribeBehaving(bus, b, String(i)));
          for (let n = 0; n < count; n++) bus.publish(token(`p${n}`));
          await bus.drain(10_000);
          for (const [i, { throwsAt }] of behaviours.entries()) {
            const mine = seen[i] ?? [];
            const dropped = throwsAt > 0 && mine.length === throwsAt;
            expect(mine).toEqual(dropped ? log.seen.slice(0, throwsAt) : log.seen);
          }
          const reports = log.seen.filter((entry) => entry.endsWith("subscriber.dropped")).length;
          const drops = behaviours.filter(({ throwsAt }, i) => throwsAt > 0 && seen[i]?.length === throwsAt);
          expect(reports).toBe(drops.length);
          expect(log.seen.map((entry) => Number.parseInt(entry, 10))).toEqual(log.seen.map((_, i) => i + 1));
        },
      ),
      { numRuns: 300 },
    );
  });
});

function subscribeBehaving(
  bus: EventBus,
  { slow, throwsAt, publishesAt }: { slow: boolean; throwsAt: number; publishesAt: number },
  name: string,
): string[] {
  const seen: string[] = [];
  const take = (stamped: StampedEvent) => {
    seen.push(label(stamped));
    if (seen.length === publishesAt) bus.publish(token(`from ${name}`));
    if (seen.length === throwsAt) throw new Error("no");
  };
  const onEvent = slow
    ? async (stamped: StampedEvent) => {
        await Promise.resolve();
        take(stamped);
      }
    : take;
  bus.subscribe({ name, onEvent });
  return seen;
}

import type { Subscriber } from "./event-bus.ts";
import { eventLine, type StampedEvent } from "./run-event.ts";
import type { TextSink } from "./stdout-printer.ts";

/** `--output-format stream-json`: every event as one line, the events that stand in events.jsonl. */
export class JsonPrinter implements Subscriber {
  readonly name = "json-printer";
  readonly #out: TextSink;

  constructor(out: TextSink) {
    this.#out = out;
  }

  onEvent(stamped: StampedEvent): void {
    this.#out.write(`${eventLine(stamped)}\n`);
  }
}

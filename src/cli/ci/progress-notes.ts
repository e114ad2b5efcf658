import type { Subscriber } from "../../events/event-bus.ts";
import type { StampedEvent } from "../../events/run-event.ts";
import type { TextSink } from "../../events/stdout-printer.ts";

/** Says every so often, in one line, that the run is still going and how far it is: some machines end a silent job. */
export class ProgressNotes implements Subscriber {
  readonly name = "ci-progress";
  readonly #out: TextSink;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #steps = 0;
  #calls = 0;
  #tokens = 0;

  constructor({ out, everyMs = 30_000 }: { out: TextSink; everyMs?: number }) {
    this.#out = out;
    this.#everyMs = everyMs;
  }

  onEvent({ event }: StampedEvent): void {
    switch (event.type) {
      case "run.started":
        this.#startedAt = performance.now();
        this.#timer = setInterval(() => this.#say(), this.#everyMs).unref();
        return;
      case "step.started":
        this.#steps += 1;
        return;
      case "tool_call.finished":
        this.#calls += 1;
        return;
      case "llm.response":
        this.#tokens += event.usage.input_tokens + event.usage.output_tokens;
        return;
      case "run.finished":
        clearInterval(this.#timer);
        return;
      default: // says nothing about how far the run is
    }
  }

  #say(): void {
    const seconds = Math.round((performance.now() - this.#startedAt) / 1000);
    const done = `steps ${this.#steps}, tool calls ${this.#calls}, tokens ${this.#tokens}`;
    this.#out.write(`[run] still going after ${seconds} s: ${done}\n`);
  }
}

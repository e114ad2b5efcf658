import type { Subscriber } from "../../events/event-bus.ts";
import type { StampedEvent } from "../../events/run-event.ts";
import type { CiPlatform } from "./platform.ts";

/** Writes a line that the platform takes for a command, past the guard that keeps all other text from being one. */
export interface CommandSink {
  command(line: string): void;
}

/** A printer whose notes of each step fold away in the platform's log. */
export class InSections implements Subscriber {
  readonly name = "ci-sections";
  readonly #printer: Subscriber;
  readonly #sink: CommandSink;
  readonly #platform: CiPlatform;
  readonly #now: () => number;

  constructor(
    printer: Subscriber,
    { sink, platform, now = Date.now }: { sink: CommandSink; platform: CiPlatform; now?: () => number },
  ) {
    this.#printer = printer;
    this.#sink = sink;
    this.#platform = platform;
    this.#now = now;
  }

  onEvent(stamped: StampedEvent): void | Promise<void> {
    const { event } = stamped;
    if (event.type === "step.started") this.#open(event.step);
    const pending = this.#printer.onEvent(stamped);
    if (event.type === "step.finished") this.#close(event.step);
    return pending;
  }

  #open(step: number): void {
    if (this.#platform === "github") return this.#sink.command(`::group::step ${step}`);
    const mark = `section_start:${this.#seconds()}:ruizn_step_${step}[collapsed=true]`;
    this.#sink.command(`\u001b[0K${mark}\r\u001b[0Kstep ${step}`);
  }

  #close(step: number): void {
    if (this.#platform === "github") return this.#sink.command("::endgroup::");
    this.#sink.command(`\u001b[0Ksection_end:${this.#seconds()}:ruizn_step_${step}\r\u001b[0K`);
  }

  #seconds(): number {
    return Math.floor(this.#now() / 1000);
  }
}

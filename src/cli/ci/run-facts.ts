import type { Subscriber } from "../../events/event-bus.ts";
import type { SealReport, StampedEvent } from "../../events/run-event.ts";

export interface ToolCount {
  calls: number;
  errors: number;
}

/** What a summary tells of a run that its result does not. */
export class RunFacts implements Subscriber {
  readonly name = "ci-facts";
  model: string | undefined;
  seal: SealReport | undefined;
  readonly tools = new Map<string, ToolCount>();
  /** Calls whose result was cut, one line each. */
  readonly truncated: string[] = [];

  onEvent({ event }: StampedEvent): void {
    if (event.type === "run.started") {
      this.model = event.model;
      this.seal = event.seal;
    }
    if (event.type !== "tool_call.finished" || event.superseded) return;
    const count = this.tools.get(event.name) ?? { calls: 0, errors: 0 };
    count.calls += 1;
    if (event.is_error) count.errors += 1;
    this.tools.set(event.name, count);
    if (!event.truncated) return;
    const of = event.bytes_total === null ? "" : ` of ${event.bytes_total}`;
    this.truncated.push(`${event.name} call ${event.call_id}: ${event.bytes_shown}${of} bytes shown`);
  }
}

import { RuiZNError } from "../errors.ts";
import type { Subscriber } from "../events/event-bus.ts";
import type { StampedEvent, ToolCallFinishedEvent } from "../events/run-event.ts";
import { addUsage, NO_USAGE, type Usage } from "../messages.ts";
import type { PermissionDenial } from "./run-result.ts";

/** What happened on the way that can make a run fail although it came to its own end. */
export const FAIL_ON = [
  ...(["denied", "tool_error", "timeout", "truncated", "no_tool_use"] as const),
  // Ends by which a run has failed in any case: named, they change nothing.
  ...(["max_steps", "budget", "refusal"] as const),
] as const;
export type FailOn = (typeof FAIL_ON)[number];

/** Counts what the result reports. Reads the same events as every other subscriber. */
export class RunTally implements Subscriber {
  readonly name = "tally";
  readonly modelUsage: Record<string, Usage> = Object.create(null) as Record<string, Usage>;
  readonly denials: PermissionDenial[] = [];
  durationApiMs = 0;
  /** What was said in the step that is under way. */
  #text = "";
  /** What was said last in the steps before it. */
  #earlier = "";
  #toolCalls = 0;
  readonly #inputs = new Map<string, unknown>();
  readonly #firsts = new Map<FailOn, string>();

  onEvent({ event }: StampedEvent): void {
    switch (event.type) {
      case "step.started":
        this.#earlier = this.partialText;
        this.#text = "";
        return;
      case "llm.withdrawn":
        this.#text = "";
        return;
      case "llm.token":
        this.#text += event.text;
        return;
      case "llm.response":
      case "context.summarised":
        this.durationApiMs += event.duration_ms;
        this.modelUsage[event.model] = addUsage(this.modelUsage[event.model] ?? NO_USAGE, event.usage);
        return;
      case "tool_call.started":
        if (event.attempt === undefined) this.#toolCalls += 1;
        this.#inputs.set(event.call_id, event.input);
        return;
      case "tool_call.finished":
        if (event.superseded !== true) this.#countCall(event);
        return;
      default: // the other events are not counted
    }
  }

  /** The partial answer when the run breaks off: what the model has said last. */
  get partialText(): string {
    return this.#text.trim() === "" ? this.#earlier : this.#text;
  }

  /** Why the run must fail under `failOn`; undefined when nothing in it happened. */
  failure(failOn: ReadonlySet<FailOn>): RuiZNError | undefined {
    if (this.#toolCalls === 0) this.#note("no_tool_use", "no tool was used");
    for (const kind of FAIL_ON) {
      const what = failOn.has(kind) ? this.#firsts.get(kind) : undefined;
      if (what === undefined) continue;
      const code = kind === "denied" ? "permission_denied" : "tool_failed";
      return new RuiZNError(code, `${what} (--fail-on ${kind})`);
    }
    return undefined;
  }

  #countCall(event: ToolCallFinishedEvent): void {
    const input = this.#inputs.get(event.call_id);
    this.#inputs.delete(event.call_id);
    const which = `${event.name} call ${event.call_id}`;
    if (event.truncated) this.#note("truncated", `the result of ${which} was truncated`);
    if (!event.is_error) return;
    this.#note("tool_error", `${which} failed: ${event.error_type}`);
    if (event.error_type === "timeout") this.#note("timeout", `${which} timed out`);
    if (event.error_type !== "permission_error") return;
    this.#note("denied", `${which} was denied`);
    const message = event.content.find((block) => block.type === "text")?.text ?? "";
    this.denials.push({ tool_name: event.name, tool_use_id: event.call_id, tool_input: input, message });
  }

  #note(kind: FailOn, what: string): void {
    if (!this.#firsts.has(kind)) this.#firsts.set(kind, what);
  }
}

import type { RunEvent } from "../events/run-event.ts";
import type { Redactor } from "./redactor.ts";

/** Chosen by the runtime or checked elsewhere: needed as they are to read the log again. */
const AS_THEY_ARE = new Set(["type", "call_id", "status", "terminal_reason", "isolation", "error_type"]);

/** The event without secrets: itself when it holds none. */
export function redactEvent(redactor: Redactor, event: RunEvent): RunEvent {
  let copy: Record<string, unknown> | undefined;
  for (const [name, value] of Object.entries(event)) {
    if (typeof value === "number" || AS_THEY_ARE.has(name)) continue;
    const clean: unknown = redactor.value(value);
    if (clean === value) continue;
    copy ??= Object.assign(Object.create(Object.getPrototypeOf(event) as object) as object, event) as Record<
      string,
      unknown
    >;
    copy[name] = clean;
  }
  return (copy as RunEvent | undefined) ?? event;
}

import { readEvents } from "../events/event-reader.ts";
import type { RunEvent, ToolCallFinishedEvent } from "../events/run-event.ts";
import { contextLine } from "../events/note-lines.ts";
import { shownBytes, shownDuration } from "../events/shown-numbers.ts";
import { terminalLine } from "../events/terminal-text.ts";

const INPUT_CHARS = 100;

/** A run's log as lines for people: what the model was told and did, without its texts. */
export function* transcript(runPath: string): Generator<string, void, void> {
  const inputs = new Map<string, unknown>();
  for (const entry of readEvents(runPath)) {
    if (entry.kind === "garbage") yield `line ${entry.line} is ${terminalLine(entry.reason)}`;
    if (entry.kind === "torn") yield `line ${entry.line} breaks off`;
    if (entry.kind !== "event") continue;
    const { event } = entry.stamped;
    if (event.type === "tool_call.started") inputs.set(event.call_id, event.input);
    const line = lineOf(event, inputs);
    if (line !== undefined) yield line;
  }
}

function lineOf(event: RunEvent, inputs: Map<string, unknown>): string | undefined {
  switch (event.type) {
    case "run.started":
      return event.resumed_from === undefined ? undefined : `resumed after event ${event.resumed_from}`;
    case "llm.response": {
      const { input_tokens, output_tokens } = event.usage;
      return `step ${event.step}: ${terminalLine(event.stop_reason)}, ${input_tokens} tokens in, ${output_tokens} out`;
    }
    case "llm.retry":
      return `  retry ${event.attempt} of ${event.max_attempts}: ${event.code}: ${terminalLine(event.message)}`;
    case "tool_call.finished":
      if (event.superseded === true) return `  ${terminalLine(event.name)} interrupted, made again`;
      return `  ${terminalLine(event.name)} ${shortInput(inputs.get(event.call_id))} ${outcome(event)}`;
    case "user.text":
      return `  told: ${terminalLine(event.text)}`;
    case "context.cleared":
    case "context.summarised":
      return `  ${contextLine(event)}`;
    case "guard.violation":
      return `  guard violation in ${terminalLine(event.name)}: ${terminalLine(event.check)}: ${terminalLine(event.detail)}`;
    case "budget.exceeded":
      return `  budget ${terminalLine(event.budget)} used up: ${event.used} of ${event.limit}`;
    default:
      return undefined;
  }
}

function outcome({
  is_error,
  error_type,
  bytes_shown,
  truncated,
  duration_ms,
}: ToolCallFinishedEvent): string {
  const result = is_error
    ? `error ${error_type}`
    : `ok ${shownBytes(bytes_shown)}${truncated ? ", truncated" : ""}`;
  return `${result} ${shownDuration(duration_ms)}`;
}

function shortInput(input: unknown): string {
  const text = terminalLine(JSON.stringify(input) ?? "");
  return text.length > INPUT_CHARS ? `${text.slice(0, INPUT_CHARS - 1)}…` : text;
}

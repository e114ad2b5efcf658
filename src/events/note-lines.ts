import type {
  ContextClearedEvent,
  ContextSummarisedEvent,
  GuardViolationEvent,
  LlmResponseEvent,
  LlmRetryEvent,
  ToolCallFinishedEvent,
  ToolCallProgressedEvent,
} from "./run-event.ts";
import { shownBytes, shownCount, shownDuration } from "./shown-numbers.ts";
import { terminalLine } from "./terminal-text.ts";

const INPUT_SHOWN_MAX_CHARS = 200;
const MESSAGE_SHOWN_MAX_CHARS = 300;

/** `{"path": "README.md"}`: JSON on one line, bounded. */
export function inputLine(input: unknown): string {
  const json = JSON.stringify(input, null, 1) ?? "null";
  const line = json
    .replace(/([[{])\n */g, "$1")
    .replace(/\n *([\]}])/g, "$1")
    .replace(/,\n */g, ", ");
  return bounded(line, INPUT_SHOWN_MAX_CHARS);
}

export function toolLine(event: ToolCallFinishedEvent): string {
  const name = terminalLine(event.name);
  const duration = shownDuration(event.duration_ms);
  if (event.is_error) {
    const text = event.content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
    return `${name} error ${event.error_type} ${bounded(withoutPrefix(text, event))} ${duration}`;
  }
  const of = event.bytes_total === null ? "" : ` of ${shownBytes(event.bytes_total)}`;
  const cut = event.truncated ? `${of} (truncated)` : "";
  return `${name} ok ${shownBytes(event.bytes_shown)}${cut} ${duration}`;
}

export function progressLine({ name, level, text, share }: ToolCallProgressedEvent): string {
  const how =
    level === "progress" ? (share === undefined ? "" : ` ${Math.round(share * 100)} %`) : ` ${level}`;
  return `${terminalLine(name)}${how}: ${bounded(text)}`;
}

export function retryLine(event: LlmRetryEvent): string {
  const when = `retry ${event.attempt} of ${event.max_attempts} in ${shownDuration(event.delay_ms)}`;
  return `${when}: ${event.code} ${bounded(event.message)}`;
}

export function responseLine({ stop_reason, usage }: LlmResponseEvent): string {
  const cache = `cache ${usage.cache_read_input_tokens} read ${usage.cache_creation_input_tokens} written`;
  return `response ${terminalLine(stop_reason)} tokens ${usage.input_tokens} in ${usage.output_tokens} out, ${cache}`;
}

export function contextLine(event: ContextClearedEvent | ContextSummarisedEvent): string {
  const what =
    event.type === "context.cleared"
      ? `${shownCount(event.cleared.length, "old tool result")} cleared`
      : `${shownCount(event.messages, "old message")} summarised`;
  return `${what}: about ${event.tokens_before} tokens before, ${event.tokens_after} after`;
}

export function violationLine(event: GuardViolationEvent): string {
  return `${terminalLine(event.name)} result rejected: ${event.check} ${bounded(event.detail)}`;
}

/** One safe line of at most so many UTF-16 units. */
export function bounded(text: string, maxChars = MESSAGE_SHOWN_MAX_CHARS): string {
  const line = terminalLine(text.slice(0, maxChars + 1));
  return line.length > maxChars ? `${line.slice(0, maxChars).replace(/[\ud800-\udbff]$/, "")}…` : line;
}

/** The text for the model begins with the error type and the tool's name; the line has said both. */
function withoutPrefix(text: string, { error_type, name }: ToolCallFinishedEvent): string {
  return [`${error_type}: `, `${name}: `].reduce(
    (rest, prefix) => (rest.startsWith(prefix) ? rest.slice(prefix.length) : rest),
    text,
  );
}

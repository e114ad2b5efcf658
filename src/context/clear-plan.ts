import { isToolUse, type Message, type ToolResultBlock, type ToolUseBlock } from "../messages.ts";
import { blockBytes } from "./token-meter.ts";

/** A tool result that gives way to a note. */
export interface ClearedResult {
  call_id: string;
  note: string;
}

export interface ClearPlan {
  cleared: ClearedResult[];
  bytes: number;
}

/** Less than this is not worth a note; a note is always smaller, so that none is cleared twice. */
const CLEAR_MIN_BYTES = 1_024;
const INPUT_SHOWN_MAX_CHARS = 300;

/**
 * The oldest tool results that together free so many bytes; all there are when they do not suffice.
 * @param keepTurns how many of the last turns keep their results
 */
export function planClearing(
  messages: readonly Message[],
  options: { bytes: number; keepTurns: number; isReadOnly: (tool: string) => boolean },
): ClearPlan {
  const end = turnStart(messages, options.keepTurns) ?? 0;
  const cleared: ClearedResult[] = [];
  let freed = 0;
  for (let at = 1; at < end && freed < options.bytes; at++) {
    for (const { use, result } of resultsOf(messages, at)) {
      const bytes = blockBytes(result);
      if (bytes < CLEAR_MIN_BYTES || freed >= options.bytes) continue;
      const note = noteOf(use, { bytes, readOnly: options.isReadOnly(use.name) });
      cleared.push({ call_id: use.id, note });
      freed += bytes - Buffer.byteLength(note);
    }
  }
  return { cleared, bytes: freed };
}

/** Where the last so many turns begin; undefined when there are no more than these. 0 turns begin at the end. */
export function turnStart(messages: readonly Message[], turns: number): number | undefined {
  let left = turns;
  let at = messages.length;
  while (left > 0 && at > 0) if (messages[--at]?.role === "assistant") left--;
  return at > 1 ? at : undefined;
}

function resultsOf(
  messages: readonly Message[],
  at: number,
): { use: ToolUseBlock; result: ToolResultBlock }[] {
  const [asked, answered] = [messages[at - 1], messages[at]];
  if (asked?.role !== "assistant" || answered?.role !== "user") return [];
  const uses = new Map(asked.content.filter(isToolUse).map((use) => [use.id, use]));
  return answered.content.flatMap((block) => {
    const use = block.type === "tool_result" ? uses.get(block.tool_use_id) : undefined;
    return use && block.type === "tool_result" ? [{ use, result: block }] : [];
  });
}

function noteOf(use: ToolUseBlock, { bytes, readOnly }: { bytes: number; readOnly: boolean }): string {
  const input = JSON.stringify(use.input) ?? "";
  const shown =
    input.length > INPUT_SHOWN_MAX_CHARS ? `${input.slice(0, INPUT_SHOWN_MAX_CHARS).toWellFormed()}…` : input;
  const again = readOnly ? " Call it again if you need it." : "";
  return `[The result of ${use.name.slice(0, 64)} ${shown} (${bytes} bytes) was cleared to make room.${again}]`;
}

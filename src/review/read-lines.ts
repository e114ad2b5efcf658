import type { ToolCallFinishedEvent, ToolCallStartedEvent } from "../events/tool-events.ts";
import { LineSet } from "./line-set.ts";

type Lines = readonly (readonly [number, number])[];

/** Which lines of which file a call has shown, as the log has it; undefined when it has shown none as a file's lines. */
export function linesShown(
  { name, input }: ToolCallStartedEvent,
  finished: ToolCallFinishedEvent,
  rev: string | undefined,
): { path: string; lines: Lines } | undefined {
  if (finished.is_error) return undefined;
  const asked = input as Record<string, unknown>;
  const path = typeof asked["path"] === "string" ? asked["path"].replace(/^(?:\.\/)+/, "") : undefined;
  if (path === undefined) return undefined;
  if (name === "read_file" && rev === undefined) {
    // Behind a byte offset lines are counted from there.
    if (asked["byte_offset"] !== undefined) return undefined;
    return { path, lines: (finished.data["lines"] ?? []) as Lines };
  }
  const isContent = name === "git" && asked["content"] === true && asked["rev"] === rev && rev !== undefined;
  return isContent ? { path, lines: wholeLines(finished) } : undefined;
}

/** A text that was cut ends in a line that may not be whole, and in the mark that says so. */
function wholeLines({ content, truncated }: ToolCallFinishedEvent): Lines {
  const [first] = content;
  const count = first?.type === "text" ? first.text.split("\n").length : 0;
  return [[1, truncated ? count - 2 : count]];
}

/** What the calls of a run have shown, by file. */
export class ReadLines {
  readonly byFile = new Map<string, LineSet>();

  add({ path, lines }: { path: string; lines: Lines }): void {
    this.byFile.set(path, (this.byFile.get(path) ?? LineSet.of([])).with(lines));
  }
}

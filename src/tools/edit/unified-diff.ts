import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { LIMITS } from "../../limits.ts";
import { codePointEnd } from "../text/code-points.ts";
import { lineStarts } from "../text/line-starts.ts";
import { showPlural } from "../text/show.ts";

/** Two texts without anything in common would take minutes to compare. */
const EDIT_LENGTH_MAX = 2_000;
const TIMEOUT_MS = 500;
const CONTEXT_LINES = 3;

export interface ShownDiff {
  text: string;
  bytesTotal: number;
  bytesShown: number;
  truncated: boolean;
}

/** A change for the model to look over: a unified diff, or one line where a diff would say no more. */
export function unifiedDiff(path: string, before: string, after: string): ShownDiff {
  const diff = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: EDIT_LENGTH_MAX,
    timeout: TIMEOUT_MS,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return bounded(
    diff ?? `Replaced the whole text: ${countLines(before)} before, ${countLines(after)} now.\n`,
  );
}

function countLines(text: string): string {
  return showPlural(lineStarts(new TextEncoder().encode(text)).length, "line");
}

function bounded(text: string): ShownDiff {
  const bytes = new TextEncoder().encode(text);
  const bytesTotal = bytes.length;
  if (bytesTotal <= LIMITS.readDefaultBytes)
    return { text, bytesTotal, bytesShown: bytesTotal, truncated: false };
  const end = codePointEnd(bytes, LIMITS.readDefaultBytes);
  const shown = new TextDecoder().decode(bytes.subarray(0, end));
  return { text: `${shown}\n[truncated]`, bytesTotal, bytesShown: end, truncated: true };
}

import { LIMITS } from "../../limits.ts";
import { codePointEnd } from "../text/code-points.ts";

export interface LineRange {
  /** 1 for the first line. */
  offset: number;
  /** Lines asked for; undefined when the default is meant. */
  limit: number | undefined;
}

/** A part of a text: bytes [start, end), lines first to last. */
export interface Window {
  first: number;
  last: number;
  start: number;
  end: number;
  /** Why it ends before what was asked for: the default number of lines, the bytes, or the bytes within one line. */
  cut: "none" | "lines" | "bytes" | "line";
}

/** The lines of a range, as far as they fit into `maxBytes`. The range must start within the text. */
export function windowOf(
  text: { bytes: Uint8Array; starts: readonly number[] },
  range: LineRange,
  maxBytes: number,
): Window {
  const { bytes, starts } = text;
  const startOf = (line: number): number => starts[line - 1] ?? bytes.length;
  const start = startOf(range.offset);
  const asked = Math.min(range.offset - 1 + (range.limit ?? LIMITS.readDefaultLines), starts.length);
  let last = asked;
  if (startOf(asked + 1) - start > maxBytes) last = lastLineWithin(starts, start + maxBytes);
  if (last < range.offset) {
    const end = withoutHalfLineEnd(bytes, codePointEnd(bytes, start + maxBytes));
    return { first: range.offset, last: range.offset, start, end, cut: "line" };
  }
  const cut = last < asked ? "bytes" : range.limit === undefined && last < starts.length ? "lines" : "none";
  return { first: range.offset, last, start, end: startOf(last + 1), cut };
}

/** The last line that ends at or before `end`, which lies before the end of the text. */
function lastLineWithin(starts: readonly number[], end: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= end) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function withoutHalfLineEnd(bytes: Uint8Array, end: number): number {
  return bytes[end - 1] === 0x0d && bytes[end] === 0x0a ? end - 1 : end;
}

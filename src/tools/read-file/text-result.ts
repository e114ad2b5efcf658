import { LIMITS } from "../../limits.ts";
import { bytesThatFitAsJson, JSON_GROWTH_MAX, jsonSize } from "../../sandbox/json-size.ts";
import { type BodyResult, ToolFailure } from "../tool-body.ts";
import type { ToolData } from "../tool-result.ts";
import type { Encoding } from "../text/decode-text.ts";
import { lineStarts } from "../text/line-starts.ts";
import { showCount, showPath, showPlural } from "../text/show.ts";
import type { ReadFileInput } from "./spec.ts";
import { type LineRange, type Window, windowOf } from "./window.ts";

/** The part of a file that was read, bytes [from, to) of it, as UTF-8. */
export interface TextPart {
  path: string;
  bytes: Uint8Array<ArrayBuffer>;
  encoding: Encoding;
  from: number;
  to: number;
  /** Whether `to` is the end of the file. */
  complete: boolean;
  /** Set when the text was made out of the file and byte positions in it mean nothing. */
  rendered?: boolean;
  /** What the model must know besides the text. */
  notes: string[];
}

/** Room for what a result says besides the file's text. */
const NOTES_MAX_BYTES = 4_096;
const TRUNCATED = new TextEncoder().encode("\n[truncated]");
const NEWLINE = 0x0a;

export function textResult(part: TextPart, input: ReadFileInput, known: ToolData): BodyResult {
  const starts = lineStarts(part.bytes);
  const ranges: LineRange[] = input.ranges ?? [{ offset: input.offset ?? 1, limit: input.limit }];
  const windows = windowsOf(part, { starts, ranges, maxBytes: input.max_bytes ?? LIMITS.readDefaultBytes });
  const goOn = windows.map((window, index) => goingOn(part, starts.length, window, ranges[index]));
  const bytesShown = windows.reduce((sum, window) => sum + window.end - window.start, 0);
  const truncated = goOn.some((way) => way.truncated);
  const data: ToolData = {
    ...known,
    encoding: part.encoding,
    lines_total: part.complete ? starts.length : null,
    lines: windows.map(({ first, last }) => [first, last]),
    bytes_shown: bytesShown,
    truncated,
    ...goOn.at(-1)?.next,
  };
  const content = windows.map((window, index) => ({
    type: "text" as const,
    text: shownBytes(part.bytes, window, goOn[index]?.truncated === true),
  }));
  const note = noteOf(part, { windows, goOn, data });
  return { content: note === "" ? content : [...content, { type: "text", text: note }], data };
}

function windowsOf(
  part: TextPart,
  ask: { starts: number[]; ranges: LineRange[]; maxBytes: number },
): Window[] {
  const text = { bytes: part.bytes, starts: ask.starts };
  let left = ask.maxBytes;
  const limitAsJson = LIMITS.resultMaxBytes - NOTES_MAX_BYTES;
  // What fits whatever it is made of is not counted.
  let leftAsJson = ask.maxBytes * JSON_GROWTH_MAX > limitAsJson ? limitAsJson : Infinity;
  const windows: Window[] = [];
  for (const range of ask.ranges) {
    if (range.offset > ask.starts.length) throw beyondEnd(part, range.offset, ask.starts.length);
    const start = ask.starts[range.offset - 1] ?? 0;
    const most = Math.min(left, bytesThatFitAsJson(part.bytes, start, leftAsJson));
    if (most <= 0) break;
    const window = windowOf(text, range, most);
    left -= window.end - window.start;
    windows.push(window);
    if (window.cut !== "none" || windows.length === ask.ranges.length) break;
    if (leftAsJson < Infinity) leftAsJson -= jsonSize(part.bytes.subarray(window.start, window.end));
  }
  return windows;
}

interface GoingOn {
  /** Less is shown than was asked for. */
  truncated: boolean;
  next: { next_offset?: number; next_byte_offset?: number };
}

function goingOn(part: TextPart, lines: number, window: Window, range: LineRange | undefined): GoingOn {
  if (window.cut === "line") {
    const next =
      part.encoding === "utf-8" && !part.rendered ? { next_byte_offset: part.from + window.end } : {};
    return { truncated: true, next };
  }
  if (window.last < lines)
    return { truncated: window.cut !== "none", next: { next_offset: window.last + 1 } };
  if (part.complete) return { truncated: false, next: {} };
  const satisfied = range?.limit !== undefined && window.last - window.first + 1 >= range.limit;
  return { truncated: !satisfied, next: { next_byte_offset: part.to } };
}

function shownBytes(bytes: Uint8Array<ArrayBuffer>, window: Window, truncated: boolean): Uint8Array {
  const text = bytes.subarray(window.start, window.end);
  if (!truncated) return text;
  const mark = text.at(-1) === NEWLINE ? TRUNCATED.subarray(1) : TRUNCATED;
  const marked = new Uint8Array(text.length + mark.length);
  marked.set(text);
  marked.set(mark, text.length);
  return marked;
}

function noteOf(part: TextPart, shown: { windows: Window[]; goOn: GoingOn[]; data: ToolData }): string {
  const { windows, goOn, data } = shown;
  const whole = windows.length === 1 && windows[0]?.start === 0 && windows[0].end === part.bytes.length;
  if (whole && part.complete && part.from === 0) return part.notes.join(" ");
  const blocks = windows.length > 1 ? windows.map((w, i) => `Block ${i + 1}: lines ${span(w)}.`) : [];
  const total = data["lines_total"];
  const ofLines = typeof total === "number" ? ` of ${showCount(total)}` : "";
  const ofBytes = data.bytes_total === null ? "" : ` of ${showCount(data.bytes_total ?? 0)}`;
  const first = windows[0];
  const lead = first && windows.length === 1 ? `Showing lines ${span(first)}${ofLines}` : "Showing";
  const size = part.rendered ? "" : ` (${showCount(data.bytes_shown ?? 0)}${ofBytes} bytes)`;
  return [`${lead}${size}.`, ...blocks, advice(goOn.at(-1)), ...part.notes]
    .filter((text) => text !== "")
    .join(" ");
}

function span(window: Window): string {
  return `${showCount(window.first)}-${showCount(window.last)}`;
}

function advice(way: GoingOn | undefined): string {
  if (way?.next.next_offset !== undefined) return `Use offset=${way.next.next_offset} to continue.`;
  if (way?.next.next_byte_offset !== undefined) {
    return `Use byte_offset=${way.next.next_byte_offset} to continue.`;
  }
  return way?.truncated ? "The line is longer than max_bytes; use a larger max_bytes or grep." : "";
}

function beyondEnd(part: TextPart, offset: number, lines: number): ToolFailure {
  const path = showPath(part.path);
  const message = part.complete
    ? `offset ${showCount(offset)} lies beyond the end of ${path}, which has ${showPlural(lines, "line")}`
    : `offset ${showCount(offset)} lies beyond the ${showCount(LIMITS.readMaxBytes)} bytes that are read in one call: they hold ${showPlural(lines, "line")} of ${path}; use byte_offset=${part.to} to go on, or grep to find the place`;
  return new ToolFailure("invalid_input", message, { lines_total: part.complete ? lines : null });
}

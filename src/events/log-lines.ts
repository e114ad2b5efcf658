import { isUtf8 } from "node:buffer";
import { readSync } from "node:fs";
import { LOG_LINE_MAX_BYTES } from "./log-line.ts";

const LF = 10;
const CHUNK_BYTES = 65_536;

/** One line as it stands in the file. */
export interface RawLine {
  /** From 1, counted from where reading began. */
  number: number;
  /** Of its first byte. */
  offset: number;
  /** Without the line feed; undefined when the line is longer than any line of a log. */
  bytes: Buffer | undefined;
  /** Line feed included. */
  length: number;
  /** False for a last line that has no line feed. */
  ended: boolean;
}

/** Only LF ends a line: U+2028 and U+2029 are text. Holds one chunk and one line at a time, however long the file. */
export function* readRawLines(fd: number, from = 0): Generator<RawLine, void, void> {
  let number = 1;
  let offset = from;
  let held: Buffer[] = [];
  let heldBytes = 0;
  const take = (last: Buffer, ended: boolean): RawLine => {
    const length = heldBytes + last.length + (ended ? 1 : 0);
    const fits = length <= LOG_LINE_MAX_BYTES;
    const bytes = !fits ? undefined : held.length === 0 ? last : Buffer.concat([...held, last]);
    const line = { number, offset, bytes, length, ended };
    number += 1;
    offset += length;
    held = [];
    heldBytes = 0;
    return line;
  };
  for (const chunk of readChunks(fd, from)) {
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      yield take(chunk.subarray(start, end), true);
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length > 0 && heldBytes <= LOG_LINE_MAX_BYTES) held.push(rest);
    heldBytes += rest.length;
  }
  if (heldBytes > 0) yield take(Buffer.alloc(0), false);
}

function* readChunks(fd: number, from: number): Generator<Buffer, void, void> {
  let position = from;
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(fd, chunk, 0, CHUNK_BYTES, position);
    if (read === 0) return;
    position += read;
    yield chunk.subarray(0, read);
  }
}

/** A line's JSON object, or why there is none. Never throws. */
export function parseLine(bytes: Buffer | undefined): Record<string, unknown> | string {
  if (!bytes) return `longer than ${LOG_LINE_MAX_BYTES} bytes`;
  if (!isUtf8(bytes)) return "not UTF-8";
  try {
    const value: unknown = JSON.parse(bytes.toString());
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>;
    }
    return "not a JSON object";
  } catch {
    return "not JSON";
  }
}

export interface TextLimits {
  maxBytes: number;
  maxLines: number;
}

export interface CutText {
  /** What is shown: a view of the given bytes from their start. */
  bytes: Uint8Array;
  bytesShown: number;
  /** Counting a last line without a newline. */
  linesShown: number;
  truncated: boolean;
  /**
   * Where to go on, from the start of the given bytes; undefined when nothing was cut off. `line` counts whole lines
   * and is undefined when the cut is inside a line, so that only the byte can be gone on from.
   */
  next?: { byte: number; line?: number };
}

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/**
 * Cuts UTF-8 text to its first whole lines. When not even one line fits, the line itself is cut, between characters
 * and never between CR and LF. At least one byte is shown of a text that is not empty.
 */
export function cutText(text: Uint8Array, { maxBytes, maxLines }: TextLimits): CutText {
  const buffer = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  let end = 0;
  let lines = 0;
  while (lines < maxLines && end < buffer.length) {
    const newline = buffer.indexOf(NEWLINE, end);
    const lineEnd = newline === -1 ? buffer.length : newline + 1;
    if (lineEnd > maxBytes) break;
    end = lineEnd;
    lines += 1;
  }
  if (end > 0 || buffer.length === 0) return cutAt(text, end, lines, lines);
  return cutAt(text, characterEnd(buffer, Math.max(1, maxBytes)), 1, undefined);
}

function cutAt(text: Uint8Array, end: number, linesShown: number, line: number | undefined): CutText {
  const shown = { bytes: text.subarray(0, end), bytesShown: end, linesShown };
  if (end === text.byteLength) return { ...shown, truncated: false };
  return { ...shown, truncated: true, next: { byte: end, ...(line === undefined ? {} : { line }) } };
}

/** The last boundary between characters at or before `limit`, or the first after it when there is none before. */
function characterEnd(text: Buffer, limit: number): number {
  if (limit >= text.length) return text.length;
  let end = limit;
  // A character has at most three bytes that continue it; more of them are no text, and cutting there harms none.
  while (end > limit - 3 && end > 0 && isContinuation(text[end])) end -= 1;
  if (isContinuation(text[end])) end = limit;
  if (end > 1 && text[end - 1] === RETURN && text[end] === NEWLINE) end -= 1;
  if (end > 0) return end;
  end = limit;
  while (end < text.length && isContinuation(text[end])) end += 1;
  return end;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

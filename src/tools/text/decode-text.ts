import { isUtf8 } from "node:buffer";
import { codePointEnd, codePointStart } from "./code-points.ts";

export type Encoding = "utf-8" | "utf-8-bom" | "utf-16le" | "utf-16be" | "windows-1252";

export interface DecodedText {
  utf8: Uint8Array<ArrayBuffer>;
  encoding: Encoding;
}

/** Where text files keep no NUL, binary ones have one early. */
const BINARY_PROBE_BYTES = 8_192;

/**
 * Text as UTF-8 without its byte-order mark, or undefined when the bytes are binary. A character that the start or
 * the end cuts in two is left out. Bytes that are no UTF-8 are taken for windows-1252: every byte has a character
 * there, so nothing is lost, and `encoding` says what was assumed.
 */
export function decodeText(
  bytes: Uint8Array<ArrayBuffer>,
  part: { fromStart: boolean; toEnd: boolean },
): DecodedText | undefined {
  if (part.fromStart) {
    const marked = decodeMarked(bytes, part.toEnd);
    if (marked) return marked;
  }
  if (bytes.subarray(0, BINARY_PROBE_BYTES).includes(0)) return undefined;
  const start = part.fromStart ? 0 : codePointStart(bytes);
  const whole = bytes.subarray(start, part.toEnd ? bytes.length : codePointEnd(bytes, bytes.length));
  if (isUtf8(whole)) return { utf8: whole, encoding: "utf-8" };
  return { utf8: recode(bytes, "windows-1252"), encoding: "windows-1252" };
}

function decodeMarked(bytes: Uint8Array<ArrayBuffer>, toEnd: boolean): DecodedText | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    const text = bytes.subarray(3, toEnd ? bytes.length : codePointEnd(bytes, bytes.length));
    return isUtf8(text) ? { utf8: text, encoding: "utf-8-bom" } : undefined;
  }
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? "utf-16le" : "utf-16be";
  if (encoding === "utf-16be" && !(bytes[0] === 0xfe && bytes[1] === 0xff)) return undefined;
  return { utf8: recode(bytes.subarray(0, bytes.length - (bytes.length % 2)), encoding), encoding };
}

function recode(bytes: Uint8Array, encoding: Encoding): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(new TextDecoder(encoding).decode(bytes));
}

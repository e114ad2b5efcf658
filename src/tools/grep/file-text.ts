import type { OpenedFile } from "../../sandbox/guard/workspace.ts";
import type { ScratchReader } from "../text/scratch-reader.ts";
import type { LineMatcher } from "./line-matcher.ts";

/** What a search sees of a file. */
export type FileText =
  | { kind: "text"; text: string; complete: boolean }
  | { kind: "no-match"; complete: boolean }
  | { kind: "binary" };

/** The text of a file that may hold a match; lines end with a newline alone. */
export function fileText(file: OpenedFile, reader: ScratchReader, matcher: LineMatcher): FileText {
  const { bytes, complete } = reader.read(file);
  const marked = markedEncoding(bytes);
  if (!marked) {
    if (bytes.includes(0)) return { kind: "binary" };
    if (!matcher.mayMatchBytes(bytes)) return { kind: "no-match", complete };
  }
  const decoded = marked ? new TextDecoder(marked).decode(bytes) : bytes.toString("utf8");
  const text = decoded.includes("\r\n") ? decoded.replaceAll("\r\n", "\n") : decoded;
  return matcher.mayMatchText(text) ? { kind: "text", text, complete } : { kind: "no-match", complete };
}

/** Of a file that says its encoding in a byte-order mark, which is no part of the text then. */
function markedEncoding(bytes: Buffer): "utf-8" | "utf-16le" | "utf-16be" | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf-8" : undefined;
}

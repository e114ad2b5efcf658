import { showPath } from "../text/show.ts";
import type { LineMatcher } from "./line-matcher.ts";
import type { FoundLine } from "./search-text.ts";

/** Minified code and data come in lines that nobody wants whole. */
const LINE_MAX_CHARS = 500;
const CHARS_BEFORE_MATCH = 100;

/** `path:12:text` for a match, `path-11-text` for a line around it. */
export function outputLine(path: string, line: FoundLine, matcher: LineMatcher): string {
  const mark = line.isMatch ? ":" : "-";
  return `${showPath(path)}${mark}${line.number}${mark}${clipped(line, matcher)}`;
}

function clipped({ text, isMatch }: FoundLine, matcher: LineMatcher): string {
  if (text.length <= LINE_MAX_CHARS) return text;
  const match = isMatch ? matcher.indexIn(text) : 0;
  const start = wholeCharacterAt(text, Math.max(0, match - CHARS_BEFORE_MATCH));
  const end = wholeCharacterAt(text, start + LINE_MAX_CHARS);
  const left = start > 0 ? `[${start} characters] ` : "";
  const right = end < text.length ? ` [${text.length - end} more characters]` : "";
  return `${left}${text.slice(start, end)}${right}`;
}

/** Steps back from the middle of a surrogate pair. */
function wholeCharacterAt(text: string, index: number): number {
  const low = /[\udc00-\udfff]/.test(text.charAt(index));
  return low && index > 0 && /[\ud800-\udbff]/.test(text.charAt(index - 1)) ? index - 1 : index;
}

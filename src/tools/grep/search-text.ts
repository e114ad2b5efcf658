import type { LineMatcher } from "./line-matcher.ts";

export interface SearchLimits {
  before: number;
  after: number;
  /** Matching lines, at most. */
  maxMatches: number;
}

export interface FoundLine {
  /** 1 for the first line. */
  number: number;
  text: string;
  isMatch: boolean;
}

export interface SearchedText {
  /** The matching lines with the lines around them, in order, each line once. */
  lines: FoundLine[];
  /** Whether there are more matching lines than the limit. */
  more: boolean;
}

export function searchText(text: string, matcher: LineMatcher, limits: SearchLimits): SearchedText {
  const lines = text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const found: FoundLine[] = [];
  let matches = 0;
  let shownTo = -1;
  for (let at = 0; at < lines.length; at += 1) {
    if (!matcher.matches(lines[at] ?? "")) continue;
    if (matches >= limits.maxMatches) return { lines: found, more: true };
    matches += 1;
    for (let near = Math.max(shownTo + 1, at - limits.before); near < at; near += 1) {
      found.push({ number: near + 1, text: lines[near] ?? "", isMatch: false });
    }
    if (shownTo < at) found.push({ number: at + 1, text: lines[at] ?? "", isMatch: true });
    else markAsMatch(found, at + 1);
    const last = Math.min(at + limits.after, lines.length - 1);
    for (let near = Math.max(shownTo, at) + 1; near <= last; near += 1) {
      found.push({ number: near + 1, text: lines[near] ?? "", isMatch: false });
    }
    shownTo = Math.max(shownTo, last);
  }
  return { lines: found, more: false };
}

/** A line that was shown as context of an earlier match matches itself. */
function markAsMatch(found: FoundLine[], number: number): void {
  const line = found.findLast((candidate) => candidate.number === number);
  if (line) line.isMatch = true;
}

export function countMatches(text: string, matcher: LineMatcher, max: number): number {
  let matches = 0;
  for (let start = 0; start < text.length && matches < max; ) {
    const newline = text.indexOf("\n", start);
    const end = newline === -1 ? text.length : newline;
    if (matcher.matches(text.slice(start, end))) matches += 1;
    start = end + 1;
  }
  return matches;
}

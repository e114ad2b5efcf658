import { counted, type Language } from "./language.ts";
import type { Phrases } from "./phrases.ts";
import { shorten } from "./shorten.ts";

/** What list_dir says of a folder without entries: the Messages API takes no empty text. */
const NO_ENTRIES = "(no entries)";
const NAMES_MAX = 60;
const HITS_MAX = 30;
const LINE_MAX_CHARS = 300;

export interface ListingView {
  text: string;
  /** Of a find or search; "" for a folder. */
  pattern: string;
  phrases: Phrases;
  language: Language;
}

/** Counts and names of a folder's entries. Folders end with "/". */
export function describeEntries({ text, phrases, language }: ListingView): string[] {
  const entries = linesOf(text);
  if (entries.length === 0 || text.trim() === NO_ENTRIES) return [phrases.emptyFolder];
  const folders = entries.filter((entry) => entry.trimEnd().endsWith("/")).length;
  const counts = phrases.entries(
    counted(folders, "folder", language),
    counted(entries.length - folders, "file", language),
  );
  return [counts, ...shownLines(entries, NAMES_MAX, phrases)];
}

/** Names of the entries of a listing, without indentation and without what marks folders and symbolic links. */
export function entryNames(text: string): string[] {
  return linesOf(text).map((line) => line.trim().replace(/\/$| -> .*$| \(special file\)$/, ""));
}

export function describeFound({ text, pattern, phrases, language }: ListingView): string[] {
  const paths = linesOf(text);
  if (paths.length === 0 || isRemark(paths, pattern)) return [phrases.foundNone, ...remarkOf(paths)];
  return [phrases.found(counted(paths.length, "file", language)), ...shownLines(paths, NAMES_MAX, phrases)];
}

/** Hits of a search, one a line as `path:line:text`; without any there is only the tool's remark. */
export function describeHits({ text, phrases, language }: ListingView): string[] {
  const lines = linesOf(text);
  const paths = lines.map((line) => /^(.{1,400}?):\d+:/.exec(line)?.[1]).filter((path) => path !== undefined);
  if (paths.length === 0) return [phrases.hitsNone, ...remarkOf(lines)];
  const files = counted(new Set(paths).size, "file", language);
  const head = phrases.hits(counted(paths.length, "hit", language), files);
  return [head, ...shownLines(lines, HITS_MAX, phrases)];
}

/** Whether this is one line that speaks of the pattern, and not a path that matches it. */
function isRemark(lines: readonly string[], pattern: string): boolean {
  const line = lines[0] ?? "";
  return lines.length === 1 && pattern !== "" && line.includes(pattern) && !line.endsWith(pattern);
}

/** The tool's own words, set apart from the planner's. */
function remarkOf(lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`[${shorten(lines.join(" "), LINE_MAX_CHARS)}]`];
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

function shownLines(lines: readonly string[], max: number, phrases: Phrases): string[] {
  const shown = lines.slice(0, max).map((line) => `  ${shorten(line, LINE_MAX_CHARS)}`);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `  ${phrases.more(String(rest))}`] : shown;
}

import { counted, type Language } from "./language.ts";
import type { Phrases } from "./phrases.ts";
import { shorten } from "./shorten.ts";

const NAMES_MAX = 60;
const HITS_MAX = 30;
const LINE_MAX_CHARS = 300;

export interface ListingView {
  text: string;
  phrases: Phrases;
  language: Language;
}

/** Counts and names of a folder's entries. Folders end with "/". */
export function describeEntries({ text, phrases, language }: ListingView): string[] {
  const entries = linesOf(text);
  if (entries.length === 0) return [phrases.emptyFolder];
  const folders = entries.filter((entry) => entry.trimEnd().endsWith("/")).length;
  const counts = phrases.entries(
    counted(folders, "folder", language),
    counted(entries.length - folders, "file", language),
  );
  return [counts, ...shownLines(entries, NAMES_MAX, phrases)];
}

/** Names of the entries of a listing, without indentation, sizes or the slash of folders. */
export function entryNames(text: string): string[] {
  return linesOf(text).map((line) => line.trim().replace(/\/$/, ""));
}

export function describeFound({ text, phrases, language }: ListingView): string[] {
  const paths = linesOf(text);
  if (paths.length === 0) return [phrases.foundNone];
  return [phrases.found(counted(paths.length, "file", language)), ...shownLines(paths, NAMES_MAX, phrases)];
}

/** Hits of a search, one a line as `path:line:text`. */
export function describeHits({ text, phrases, language }: ListingView): string[] {
  const lines = linesOf(text);
  if (lines.length === 0) return [phrases.hitsNone];
  const hits = lines.map((line) => /^(.{1,400}?):\d+:/.exec(line)?.[1]).filter((path) => path !== undefined);
  const head =
    hits.length > 0
      ? [phrases.hits(counted(hits.length, "hit", language), counted(new Set(hits).size, "file", language))]
      : [];
  return [...head, ...shownLines(lines, HITS_MAX, phrases)];
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n/).filter((line) => line.trim() !== "");
}

function shownLines(lines: readonly string[], max: number, phrases: Phrases): string[] {
  const shown = lines.slice(0, max).map((line) => `  ${shorten(line, LINE_MAX_CHARS)}`);
  const rest = lines.length - shown.length;
  return rest > 0 ? [...shown, `  ${phrases.more(String(rest))}`] : shown;
}

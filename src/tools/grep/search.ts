import { LIMITS } from "../../limits.ts";
import type { OpenedFile } from "../../sandbox/guard/workspace.ts";
import { BoundedLines } from "../text/bounded-lines.ts";
import { ScratchReader } from "../text/scratch-reader.ts";
import { showPath } from "../text/show.ts";
import { fileText } from "./file-text.ts";
import { LineMatcher } from "./line-matcher.ts";
import { outputLine } from "./output-line.ts";
import { countMatches, type SearchLimits, searchText } from "./search-text.ts";
import type { GrepInput } from "./spec.ts";

/** What is searched of one file; ripgrep has no such limit, but a worker's memory has. */
export const FILE_MAX_BYTES = 8_388_608;
const DEFAULT_RESULTS = 500;
const DEFAULT_LINES = 2_000;

export type Mode = "content" | "files_with_matches" | "count";

/** One search: what it found so far, as lines of output, and what it went through. */
export class Search {
  readonly mode: Mode;
  readonly lines: BoundedLines;
  /** Matching lines; in `files_with_matches` only that there is one is known. */
  matches = 0;
  filesWithMatches = 0;
  filesSearched = 0;
  binary = 0;
  /** Files of which only the first part was searched. */
  partly = 0;
  /** More results than were asked for. */
  overflow = false;
  readonly #matcher: LineMatcher;
  readonly #reader = new ScratchReader(FILE_MAX_BYTES);
  readonly #limits: SearchLimits;
  readonly #maxResults: number;

  constructor(input: GrepInput) {
    this.mode = input.output_mode ?? "content";
    this.#matcher = new LineMatcher(input.pattern, {
      literal: input.literal === true,
      word: input.word === true,
      case: input.case ?? "sensitive",
    });
    this.#limits = {
      before: input.before_context ?? input.context ?? 0,
      after: input.after_context ?? input.context ?? 0,
      maxMatches: input.max_count ?? Number.POSITIVE_INFINITY,
    };
    this.#maxResults = input.max_results ?? DEFAULT_RESULTS;
    this.lines = new BoundedLines({ lines: DEFAULT_LINES, bytes: LIMITS.readDefaultBytes });
  }

  get ended(): boolean {
    return this.lines.full || this.overflow;
  }

  /** @returns whether something of the file is in the result. */
  file(file: OpenedFile): boolean {
    const seen = fileText(file, this.#reader, this.#matcher);
    if (seen.kind === "binary") {
      this.binary += 1;
      return false;
    }
    this.filesSearched += 1;
    if (!seen.complete) this.partly += 1;
    if (seen.kind === "no-match") return false;
    const before = this.lines.count;
    if (this.mode === "content") this.#addLines(file.path, seen.text);
    else this.#addFile(file.path, seen.text);
    return this.lines.count > before;
  }

  #addFile(path: string, text: string): void {
    const max = this.mode === "count" ? this.#limits.maxMatches : 1;
    const count = countMatches(text, this.#matcher, max);
    if (count === 0) return;
    if (this.filesWithMatches >= this.#maxResults) this.overflow = true;
    else if (this.lines.add(this.mode === "count" ? `${showPath(path)}:${count}` : showPath(path))) {
      this.filesWithMatches += 1;
      this.matches += count;
    }
  }

  #addLines(path: string, text: string): void {
    const left = this.#maxResults - this.matches;
    const maxMatches = Math.min(this.#limits.maxMatches, left);
    const { lines, more } = searchText(text, this.#matcher, { ...this.#limits, maxMatches });
    if (more && maxMatches === left) this.overflow = true;
    const contextual = this.#limits.before + this.#limits.after > 0;
    let previous = 0;
    for (const line of lines) {
      const gap = contextual && this.lines.count > 0 && line.number !== previous + 1;
      if (gap && !this.lines.add("--")) break;
      if (!this.lines.add(outputLine(path, line, this.#matcher))) break;
      if (line.isMatch) this.matches += 1;
      previous = line.number;
    }
    if (previous > 0) this.filesWithMatches += 1;
  }
}

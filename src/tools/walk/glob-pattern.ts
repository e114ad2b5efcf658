import { expandBraces } from "./glob-braces.ts";
import { compileSegment, type SegmentMatcher } from "./glob-segment.ts";

const ANY_DEPTH = Symbol("**");
const END = Symbol("end");

type Part = SegmentMatcher | typeof ANY_DEPTH | typeof END;

/** Places in the pattern that a path has reached so far. Empty: nothing below can match. */
export type GlobState = readonly number[];

export interface GlobOptions {
  /** Wildcards match names that begin with a dot too; without it only a written dot does. */
  hidden: boolean;
  /** `{a,b}` means either; without it braces are plain characters. */
  braces: boolean;
}

/**
 * A glob over `/`-separated relative paths, as an automaton that is fed one name after the other on the way down a
 * tree: a walker sees at once where nothing can match. A step costs at most the pattern's length times the name's,
 * whatever the pattern.
 */
export class GlobPattern {
  readonly #parts: readonly Part[];
  readonly #hidden: boolean;
  /** Before the first name. */
  readonly start: GlobState;

  /** @throws SyntaxError when the glob is malformed or its braces stand for too many alternatives. */
  constructor(glob: string, options: GlobOptions) {
    const alternatives = options.braces ? expandBraces(glob) : [glob];
    const parts: Part[] = [];
    const starts: number[] = [];
    for (const alternative of alternatives) {
      starts.push(parts.length);
      parts.push(...segmentsOf(alternative).map((segment) => partOf(segment, options.hidden)), END);
    }
    this.#parts = parts;
    this.#hidden = options.hidden;
    const state: number[] = [];
    for (const at of starts) this.#enter(at, state);
    this.start = state;
  }

  /** Goes down into a directory. */
  step(state: GlobState, name: string): GlobState {
    const next: number[] = [];
    for (const at of state) {
      const part = this.#parts[at];
      if (part === ANY_DEPTH) {
        if (!this.#passes(name)) continue;
        this.#enter(at, next);
        if (this.#parts[at + 1] === END) add(next, at + 1);
      } else if (typeof part === "function" && part(name)) this.#enter(at + 1, next);
    }
    return next;
  }

  /** Whether the path ends in a match when `name` is its last part. */
  accepts(state: GlobState, name: string): boolean {
    for (const at of state) {
      const part = this.#parts[at];
      if (part === ANY_DEPTH) {
        if (this.#parts[at + 1] === END && this.#passes(name)) return true;
      } else if (typeof part === "function" && part(name) && this.#parts[at + 1] === END) return true;
    }
    return false;
  }

  matches(path: string): boolean {
    const names = path.split("/");
    const last = names.pop() ?? "";
    let state = this.start;
    for (const name of names) {
      state = this.step(state, name);
      if (state.length === 0) return false;
    }
    return this.accepts(state, last);
  }

  #passes(name: string): boolean {
    return this.#hidden || !name.startsWith(".");
  }

  /** `**` may stand for nothing, except at the end: `src/**` is what lies in src, not src. */
  #enter(at: number, state: number[]): void {
    add(state, at);
    if (this.#parts[at] === ANY_DEPTH && this.#parts[at + 1] !== END) this.#enter(at + 1, state);
  }
}

/** States grow in ascending order, so a place that is there already is among the last. */
function add(state: number[], at: number): void {
  for (let back = 1; back <= 4; back += 1) if (state[state.length - back] === at) return;
  state.push(at);
}

/** Several `**` in a row mean what one does. */
function segmentsOf(glob: string): string[] {
  return glob.split("/").filter((segment, index, all) => segment !== "**" || all[index - 1] !== "**");
}

function partOf(segment: string, hidden: boolean): Part {
  if (segment === "**") return ANY_DEPTH;
  const matches = compileSegment(segment);
  if (hidden || segment.startsWith(".") || segment.startsWith("\\.")) return matches;
  return (name) => !name.startsWith(".") && matches(name);
}

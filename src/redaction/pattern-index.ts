import type { Pattern } from "./pattern.ts";

export interface Candidate {
  pattern: Pattern;
  start: string;
}

/** Finds the patterns that can begin at a place by its first two characters. */
export class PatternIndex {
  /** For most pairs of characters nothing begins: one look into this table says so. */
  readonly #pairs = new Uint8Array(65_536);
  /** 1: something begins with this character where a word begins; 2: anywhere. */
  readonly #firsts = new Uint8Array(256);
  readonly #byPair = new Map<number, Candidate[]>();

  /** Of the beginnings that fit a place the longest is judged first, then the one that stands first here. */
  constructor(patterns: readonly Pattern[]) {
    for (const pattern of patterns) for (const start of pattern.starts) this.#add({ pattern, start });
    for (const list of this.#byPair.values()) list.sort((a, b) => b.start.length - a.start.length);
  }

  /** The first place from `at` on where something may begin, or the last character of the text. */
  nextPlace(text: string, from: number): number {
    const pairs = this.#pairs;
    const last = text.length - 1;
    let at = from;
    let code = text.charCodeAt(at);
    while (at < last) {
      const next = text.charCodeAt(at + 1);
      if (pairs[((code & 0xff) << 8) | (next & 0xff)] === 1) return at;
      code = next;
      at++;
    }
    return at;
  }

  /** Whether something may begin with the last character of a text, which stands inside a word or not. */
  mayBeginWith(first: number, inWord: boolean): boolean {
    return (this.#firsts[first & 0xff] ?? 0) > (inWord ? 1 : 0);
  }

  candidates(first: number, second: number): readonly Candidate[] {
    return this.#byPair.get(pairOf(first, second)) ?? [];
  }

  #add(candidate: Candidate): void {
    const pair = pairOf(candidate.start.charCodeAt(0), candidate.start.charCodeAt(1));
    this.#pairs[pair] = 1;
    const first = candidate.start.charCodeAt(0) & 0xff;
    this.#firsts[first] = Math.max(this.#firsts[first] ?? 0, candidate.pattern.boundary ? 1 : 2);
    const list = this.#byPair.get(pair) ?? [];
    this.#byPair.set(pair, list);
    list.push(candidate);
  }
}

function pairOf(first: number, second: number): number {
  return ((first & 0xff) << 8) | (second & 0xff);
}

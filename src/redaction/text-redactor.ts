import { charSet, has } from "./char-set.ts";
import type { Pattern, Swallow } from "./pattern.ts";
import type { PatternIndex } from "./pattern-index.ts";

const WORD = charSet("A-Za-z0-9");

/**
 * Replaces secrets in a text that comes in pieces; what comes out does not depend on where the pieces were cut. Holds
 * back only what may be the beginning of a secret, and no longer than until that is decided.
 */
export class TextRedactor {
  readonly #index: PatternIndex;
  readonly #onFound: (pattern: Pattern, at: number, length: number) => void;
  #held = "";
  /** The last character that was let through or replaced; 0 at the beginning. */
  #before = 0;
  #swallow: Swallow | undefined;

  /** @param onFound also told where, which means something in a text that is all there. */
  constructor(index: PatternIndex, onFound: (pattern: Pattern, at: number, length: number) => void) {
    this.#index = index;
    this.#onFound = onFound;
  }

  push(piece: string): string {
    return this.#scan(this.#held === "" ? piece : this.#held + piece, false);
  }

  /** The rest, when nothing follows. The next piece begins a new text. */
  flush(): string {
    const rest = this.#scan(this.#held, true);
    this.#swallow = undefined;
    this.#before = 0;
    return rest;
  }

  /** A text that is all there. */
  whole(text: string): string {
    const redacted = this.#scan(text, true);
    this.#swallow = undefined;
    this.#before = 0;
    return redacted;
  }

  #scan(text: string, final: boolean): string {
    const index = this.#index;
    const last = text.length - 1;
    let out = "";
    let kept = this.#goOnSwallowing(text, 0);
    let at = kept;
    while (at <= last) {
      at = index.nextPlace(text, at);
      const found = this.#judge(text, at, final);
      if (found === undefined) at++;
      else if (found === "more") break;
      else {
        out += text.slice(kept, at) + found.pattern.marker;
        this.#onFound(found.pattern, at, found.length);
        this.#swallow = found.pattern.swallow?.();
        kept = at = this.#goOnSwallowing(text, at + found.length);
      }
    }
    if (at > 0) this.#before = text.charCodeAt(at - 1);
    this.#held = at > last ? "" : text.slice(at);
    return kept === 0 && at > last ? text : out + text.slice(kept, at);
  }

  #goOnSwallowing(text: string, from: number): number {
    if (!this.#swallow) return from;
    const { end, done } = this.#swallow.take(text, from);
    if (done) this.#swallow = undefined;
    return end;
  }

  /** The first pattern, in the index's order, that is not out of the question here. */
  #judge(
    text: string,
    at: number,
    final: boolean,
  ): { pattern: Pattern; length: number } | "more" | undefined {
    const first = text.charCodeAt(at);
    const inWord = has(WORD, at > 0 ? text.charCodeAt(at - 1) : this.#before);
    if (at === text.length - 1) {
      return !final && this.#index.mayBeginWith(first, inWord) ? "more" : undefined;
    }
    for (const { pattern, start } of this.#index.candidates(first, text.charCodeAt(at + 1))) {
      if (pattern.boundary && inWord) continue;
      if (!text.startsWith(start, at)) {
        const cutOff = !final && text.length - at < start.length && start.startsWith(text.slice(at));
        if (cutOff) return "more";
        continue;
      }
      const verdict = pattern.judge(text, at, start, final);
      if (verdict === "more") return "more";
      if (verdict !== "no") return { pattern, length: verdict };
    }
    return undefined;
  }
}

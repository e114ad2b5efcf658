/** Where a line begins for whoever reads a CI log: what stands before a command may be blank or invisible. */
const BLANK = /[\s\p{C}]/u;
const LINE_END = /[\n\r\v\f\u0085\u2028\u2029]/;
/** Begins an ANSI sequence, and with it GitLab's section marks. */
const ESCAPE = /[\u001b\u009b]/;

/**
 * Keeps text from being taken for a command of the machine that shows the log: GitHub's `::name::` at the start of a
 * line and `##[name]` anywhere, Azure's `##vso[` and TeamCity's `##teamcity[`, GitLab's section marks. One character is
 * put in (`:\:error::`, `##\[group]`), nothing is left out, nothing is held back, and it does not matter where the
 * pieces that the text comes in are cut. In JSON the bracket becomes `\u005b`, which reads back as it was.
 */
export class LogGuard {
  readonly #json: boolean;
  #line: "start" | "colon" | "inside" = "start";
  #mark: "none" | "hash" | "hashes" = "none";

  constructor({ json }: { json: boolean }) {
    this.#json = json;
  }

  push(text: string): string {
    let safe = "";
    for (const char of text) safe += this.#pass(char);
    return safe;
  }

  #pass(char: string): string {
    const isCommand = this.#line === "colon" && char === ":";
    const isMark = this.#mark === "hashes" && char === "[";
    this.#step(char);
    if (isMark) return this.#json ? "\\u005b" : "\\[";
    if (ESCAPE.test(char)) return `${this.#json ? "\\u00" : "\\x"}${char.codePointAt(0)?.toString(16)}`;
    // No line of JSON begins like this; a note beside it may.
    return isCommand ? `\\${char}` : char;
  }

  #step(char: string): void {
    if (LINE_END.test(char)) this.#line = "start";
    else if (this.#line === "start" && char === ":") this.#line = "colon";
    else if (this.#line !== "start" || !BLANK.test(char)) this.#line = "inside";
    if (char === "#") this.#mark = this.#mark === "none" ? "hash" : "hashes";
    else if (this.#mark !== "hashes" || !/\w/.test(char)) this.#mark = "none";
  }
}

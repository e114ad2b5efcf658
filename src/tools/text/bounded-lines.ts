/** Collects lines of output up to a number of lines and of UTF-8 bytes, and counts what there would have been. */
export class BoundedLines {
  readonly #lines: string[] = [];
  readonly #limit: { lines: number; bytes: number };
  #bytes = 0;
  #full = false;

  constructor(limit: { lines: number; bytes: number }) {
    this.#limit = limit;
  }

  /** @returns false when the line did not fit; from then on nothing does. */
  add(line: string): boolean {
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#lines.length >= this.#limit.lines || this.#bytes + bytes > this.#limit.bytes) this.#full = true;
    if (this.#full) return false;
    this.#lines.push(line);
    this.#bytes += bytes;
    return true;
  }

  get count(): number {
    return this.#lines.length;
  }

  get full(): boolean {
    return this.#full;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Each line ended, then the mark of a cut text when there was more. */
  text(): string {
    const text = this.#lines.map((line) => `${line}\n`).join("");
    return this.#full ? `${text}[truncated]` : text;
  }
}

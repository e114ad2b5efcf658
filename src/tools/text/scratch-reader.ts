import type { OpenedFile } from "../../sandbox/guard/workspace.ts";

const START_BYTES = 262_144;

/** Reads one file after the other into the same memory: a search of many files would else allocate for each. */
export class ScratchReader {
  readonly #maxBytes: number;
  #buffer = Buffer.allocUnsafeSlow(START_BYTES);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The bytes are good until the next read. */
  read(file: OpenedFile): { bytes: Buffer; complete: boolean } {
    let filled = file.read(this.#buffer, 0);
    while (filled === this.#buffer.length) {
      if (filled >= this.#maxBytes) return { bytes: this.#buffer, complete: file.size === filled };
      this.#grow();
      filled += file.read(this.#buffer.subarray(filled), filled);
    }
    return { bytes: this.#buffer.subarray(0, filled), complete: true };
  }

  #grow(): void {
    const larger = Buffer.allocUnsafeSlow(Math.min(this.#buffer.length * 2, this.#maxBytes));
    this.#buffer.copy(larger);
    this.#buffer = larger;
  }
}

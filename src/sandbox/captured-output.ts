import type { Readable } from "node:stream";

/**
 * Takes the stdout and stderr of a worker or a host away from ours and keeps the first bytes of them, for the message
 * when it dies. The rest is read and dropped, so that the writer never waits for a reader.
 */
export class CapturedOutput {
  readonly #maxBytes: number;
  #text = "";
  #bytes = 0;

  constructor(streams: readonly (Readable | null)[], maxBytes: number) {
    this.#maxBytes = maxBytes;
    for (const stream of streams) {
      if (!stream) continue;
      stream.unpipe();
      stream.on("data", (chunk: Buffer | string) => this.#keep(Buffer.from(chunk)));
      stream.on("error", () => {});
      stream.resume();
    }
  }

  /** What was kept, well-formed and without control characters besides tab and line feed. */
  get text(): string {
    return this.#text.toWellFormed().replace(/[^\t\n\P{Cc}]/gu, "�");
  }

  #keep(chunk: Buffer): void {
    const room = this.#maxBytes - this.#bytes;
    if (room <= 0) return;
    const kept = chunk.subarray(0, room);
    this.#bytes += kept.length;
    this.#text += kept.toString("utf8");
  }
}

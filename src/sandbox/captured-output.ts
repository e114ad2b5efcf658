import type { Worker } from "node:worker_threads";

/**
 * Takes a worker's own stdout and stderr away from ours and keeps the first bytes of them, for the message when the
 * worker dies. The rest is read and dropped, so that the worker never waits for a reader.
 */
export class CapturedOutput {
  readonly #maxBytes: number;
  #text = "";
  #bytes = 0;

  constructor(worker: Worker, maxBytes: number) {
    this.#maxBytes = maxBytes;
    for (const stream of [worker.stdout, worker.stderr]) {
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

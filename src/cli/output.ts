/** One of the process's output streams. A reader that has left is no error: what is written after that is dropped. */
export class Output {
  readonly isTerminal: boolean;
  readonly #stream: NodeJS.WriteStream;
  #state: "open" | "reader-gone" | "failed" = "open";
  #failure: string | undefined;

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    stream.on("error", (error: NodeJS.ErrnoException) => this.#broken(error));
  }

  /** Why what was written did not arrive (a full disk, say); undefined when all is well or the reader left. */
  get failure(): string | undefined {
    return this.#failure;
  }

  write(text: string): void {
    if (this.#state === "open" && text !== "") this.#stream.write(text);
  }

  /** Resolves when everything written so far has left the process, or never will. */
  async drained(): Promise<void> {
    if (this.#state !== "open" || this.#stream.writableLength === 0) return;
    await new Promise<void>((done) => {
      this.#stream.once("error", () => done());
      this.#stream.write("", () => done());
    });
  }

  #broken(error: NodeJS.ErrnoException): void {
    // EPIPE: the reader closed the pipe. EIO: the terminal is gone.
    const readerLeft = error.code === "EPIPE" || error.code === "EIO" || error.code === "ECONNRESET";
    this.#state = readerLeft ? "reader-gone" : "failed";
    if (!readerLeft) this.#failure = error.code ?? error.message;
  }
}

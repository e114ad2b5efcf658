import { fstatSync } from "node:fs";

/** One of the process's output streams. A reader that has left is no error: what is written after that is dropped. */
export class Output {
  readonly isTerminal: boolean;
  readonly #stream: NodeJS.WriteStream;
  #state: "open" | "reader-gone" | "failed" = "open";
  #failure: string | undefined;
  #guard: ((text: string) => string) | undefined;
  #atLineStart = true;

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
    if (text === "") return;
    this.#send(this.#guard ? this.#guard(text) : text);
  }

  /** From now on what is written passes through this, unless it goes to a file of its own: a file is no log. */
  guard(by: (text: string) => string): void {
    const { fd } = this.#stream as { fd?: number };
    if (fd === undefined || !fstatSync(fd).isFile()) this.#guard = by;
  }

  /** A line of our own that is meant as a command to whoever shows the log: it begins a line, and is not guarded. */
  command(line: string): void {
    this.#send(`${this.#atLineStart ? "" : "\n"}${line}\n`);
  }

  #send(text: string): void {
    this.#atLineStart = text.endsWith("\n");
    if (this.#state === "open") this.#stream.write(text);
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

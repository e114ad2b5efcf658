import { closeSync, constants, ftruncateSync, fstatSync, openSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { RuiZNError } from "../errors.ts";

/** A file that a flag names: opened before the work, so that a bad path costs nothing, and written after it. */
export class ResultFile {
  readonly #fd: number;

  /** @throws RuiZNError input_invalid */
  constructor(flag: string, path: string, cwd: string) {
    try {
      // Without O_NONBLOCK a FIFO that nobody reads would hold the run up for ever.
      this.#fd = openSync(
        resolve(cwd, path),
        constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK,
        0o666,
      );
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new RuiZNError("input_invalid", `--${flag} ${path} cannot be written (${code})`);
    }
  }

  write(answer: string): void {
    if (fstatSync(this.#fd).isFile()) ftruncateSync(this.#fd, 0);
    writeFileSync(this.#fd, answer === "" || answer.endsWith("\n") ? answer : `${answer}\n`);
  }

  close(): void {
    closeSync(this.#fd);
  }
}

import { fdatasync, fdatasyncSync } from "node:fs";
import type { Folder } from "./run-folder.ts";

/** Forces a log to the disk itself: at once, or behind the back of the run while the model is asked. */
export class LogSync {
  readonly #fd: number;
  readonly #folder: Folder;
  #named = false;
  #running = false;
  /** More was written since the sync that runs has begun. */
  #again = false;
  #error: unknown;
  #onIdle: (() => void) | undefined;

  constructor(fd: number, folder: Folder) {
    this.#fd = fd;
    this.#folder = folder;
  }

  /** All that was written is on the disk when it returns. @throws what the system says, also of a sync behind */
  now(): void {
    this.#throwError();
    fdatasyncSync(this.#fd);
    this.#name();
  }

  /** Begins and returns; one at a time. A failure is thrown by the next call. */
  behind(): void {
    this.#throwError();
    this.#again = this.#running;
    if (this.#running) return;
    this.#running = true;
    fdatasync(this.#fd, (error) => this.#done(error));
  }

  /** Lets go of the descriptors as soon as no sync needs them. */
  close(release: () => void): void {
    if (this.#running) this.#onIdle = release;
    else release();
  }

  #done(error: unknown): void {
    this.#running = false;
    this.#error ??= error ?? undefined;
    if (this.#onIdle) return this.#onIdle();
    if (this.#error !== undefined) return;
    this.#name();
    if (this.#again) this.behind();
  }

  #name(): void {
    if (!this.#named) this.#folder.sync();
    this.#named = true;
  }

  #throwError(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
  }
}

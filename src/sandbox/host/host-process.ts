import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { type Duplex, PassThrough } from "node:stream";
import { CapturedOutput } from "../captured-output.ts";
import { LIMITS } from "../../limits.ts";
import { killTree } from "../kill-descendants.ts";
import { settledWithin } from "../settled-within.ts";
import { encodeFrame, type Frame, FrameReader } from "./frames.ts";

/** How a host came to its end. */
export interface HostDeath {
  /** In words: a signal, an exit code, or what it did wrong. */
  how: string;
  /** V8 said that it had no memory left. */
  outOfMemory: boolean;
}

/** The pipe is the host's descriptor 3; 0 and 1 are /dev/null, 2 is read here. */
const PIPE = 3;
/** What is still in its pipes when a host has died is waited for this long. */
const LAST_WORDS_MS = 100;

const OUT_OF_MEMORY = /heap out of memory|invalid table size|invalid array length|process out of memory/i;

/** A host's process and the one pipe to it. Knows frames, not calls. */
export class HostProcess {
  /** Resolves when it is gone, whoever ended it. */
  readonly gone: Promise<HostDeath>;
  /** What it wrote to stderr, which includes V8's last words. */
  readonly output: CapturedOutput;
  readonly #child: ChildProcess;
  readonly #pipe: Duplex;
  readonly #reader = new FrameReader(["ready", "reply", "failed", "idle", "note"]);
  readonly #onFrame: (frame: Frame) => void;
  #problem: string | undefined;
  #exited = false;
  #ending = false;

  constructor(options: { args: readonly string[]; cwd: string; onFrame: (frame: Frame) => void }) {
    this.#onFrame = options.onFrame;
    // A session of its own: Ctrl+C in the terminal is for the run, which ends its calls in order.
    this.#child = spawn(process.execPath, options.args, {
      cwd: options.cwd,
      env: {},
      detached: true,
      stdio: ["ignore", "ignore", "pipe", "pipe"],
    });
    this.output = new CapturedOutput([this.#child.stderr], LIMITS.workerOutputMaxBytes);
    this.gone = this.#watch();
    // Without descriptors left for it, a child has no pipes at all.
    this.#pipe = (this.#child.stdio?.[PIPE] as Duplex | undefined) ?? new PassThrough();
    this.#pipe.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#pipe.on("end", () => this.fail("it closed its pipe"));
    // What went wrong with the pipe shows in how the process ends.
    this.#pipe.on("error", () => this.kill());
    preferForOutOfMemoryKill(this.#child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** It is gone or about to be: what it sent before its end may still come in. */
  get ending(): boolean {
    return this.#ending || this.#exited;
  }

  send(frame: Parameters<typeof encodeFrame>[0]): void {
    for (const part of encodeFrame(frame)) this.#pipe.write(part);
  }

  /** Ends it for something it did wrong. */
  fail(problem: string): void {
    this.#problem ??= problem;
    this.kill();
  }

  /** Ends it and whatever it started, also when it is stopped or stuck. */
  kill(): void {
    this.#ending = true;
    if (this.#exited || this.pid === undefined) return;
    killTree([this.pid]);
    // Not on Linux: there is no list of what it started.
    this.#child.kill("SIGKILL");
  }

  #read(chunk: Buffer): void {
    for (const frame of this.#reader.push(chunk)) {
      if (this.#problem === undefined) this.#onFrame(frame);
    }
    if (this.#reader.problem !== undefined) this.fail(`it sent ${this.#reader.problem}`);
  }

  async #watch(): Promise<HostDeath> {
    const closed = new Promise<void>((resolve) => this.#child.once("close", () => resolve()));
    const how = await new Promise<string>((resolve) => {
      this.#child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
      this.#child.once("exit", (code, signal) =>
        resolve(signal ? `killed by ${signal}` : `exit code ${code}`),
      );
    });
    this.#exited = true;
    await settledWithin(closed, LAST_WORDS_MS);
    this.#pipe.destroy();
    return { how: this.#problem ?? how, outOfMemory: OUT_OF_MEMORY.test(this.output.text) };
  }
}

/** The kernel picks a host before the program that uses it, when the machine has no memory left. Linux only. */
function preferForOutOfMemoryKill(pid: number | undefined): void {
  try {
    if (pid !== undefined) writeFileSync(`/proc/${pid}/oom_score_adj`, "1000");
  } catch {
    // Gone already, or another system.
  }
}

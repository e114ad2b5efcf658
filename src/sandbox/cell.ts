import { createRequire } from "node:module";
import { promisify } from "node:util";
import type { Worker } from "node:worker_threads";
import type { Piscina } from "piscina";
import { LIMITS } from "../limits.ts";
import { callNote } from "./call-note.ts";
import { CapturedOutput } from "./captured-output.ts";
import { killDescendants } from "./kill-descendants.ts";
import type { LoadTask, ReadyReply, ReadyTask, ToolTask, WorkerSetup } from "./protocol.ts";
import { settledWithin } from "./settled-within.ts";
import type { CallWatch, ToolCell } from "./tool-cell.ts";

/** A tool says little while it works (its context drops what is more than 50); one that sends this many is ended. */
const MESSAGES_MAX = 64;
/** How long a retired thread is waited for: one that is stuck in a system call ends only with the process. */
const RETIRE_WAIT_MS = 500;
/** How long a call that was ended waits for its thread to be gone before it is reported. */
const ENDED_CALL_WAIT_MS = 25;
const SWEEP_EVERY_MS = 2;
const nextTurn = promisify(setImmediate);

export interface LaunchOptions {
  /** `sync`: the idle thread sleeps in Atomics.wait, timers of an earlier call frozen. For our own bodies alone. */
  atomics: "sync" | "disabled";
  /** The worker's file; found by its name in the package when it is not given. */
  file?: string;
  /**
   * In a tool host: Node's flags hold for the thread as well. Naming any, even none, would take Node's permission model
   * off the thread.
   */
  keepFlags?: boolean;
}

export interface SealOptions {
  setup: WorkerSetup;
  /** Whether the thread might be able to start processes, so that they must be looked for. */
  sweep: boolean;
}

/**
 * One worker thread: a piscina pool of exactly one, so that messages, output, death and set-up each belong to one
 * thread, and ending it can end nothing else.
 */
export class Cell implements ToolCell {
  readonly #piscina: Piscina;
  readonly #output: CapturedOutput;
  /** Rejects when the thread is gone, also while it starts: its first tasks would wait for ever. */
  readonly #died: Promise<never>;
  readonly #exited: Promise<unknown>;
  /** What the thread does before it can be ended: it loads native code, and then seals itself with it. */
  #startingUp: Promise<unknown> | undefined;
  #sweeps = false;
  #ready: ReadyReply = { seal: "unavailable", usable: false };
  #messages = 0;
  #dead = false;
  #gone = false;
  #retired: Promise<void> | undefined;
  #running: { nonce: string; watch: CallWatch } | undefined;

  private constructor(piscina: Piscina, thread: Worker, loading: Promise<unknown>) {
    this.#piscina = piscina;
    // Without a listener, a worker that dies idle or forges a message would end the process.
    piscina.on("error", () => void this.retire());
    piscina.on("message", (message: unknown) => this.#takeMessage(message));
    this.#output = new CapturedOutput([thread.stdout, thread.stderr], LIMITS.workerOutputMaxBytes);
    this.#died = new Promise<never>((_, reject) => {
      thread.once("error", reject);
      thread.once("exit", (code) => {
        this.#gone = true;
        reject(new Error(`the worker exited with code ${code} while it started`));
      });
    });
    this.#exited = this.#died.catch(() => {});
    this.#noteStartingUp(loading);
  }

  /** Resolves when the thread is sealed and has a task's way free. Rejects when it could not start. */
  static async start(options: LaunchOptions & SealOptions): Promise<Cell> {
    const cell = await Cell.launch(options);
    await cell.sealThread(options);
    return cell;
  }

  /**
   * Starts a thread, which loads its code while the caller goes on. It takes no call before `sealThread`. Rejects when
   * none can be made.
   */
  static async launch({ atomics, file, keepFlags }: LaunchOptions): Promise<Cell> {
    const { Piscina } = await import("piscina");
    const piscina = new Piscina({
      filename: file ?? createRequire(import.meta.url).resolve("#workers/tool-worker.cjs"),
      // None to begin with, so that a thread that was ended is not replaced behind our back.
      minThreads: 0,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      atomics,
      env: {},
      argv: [],
      ...(!keepFlags && { execArgv: [] }),
      trackUnmanagedFds: true,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: LIMITS.workerHeapMb,
        maxYoungGenerationSizeMb: LIMITS.workerYoungHeapMb,
        stackSizeMb: LIMITS.workerStackMb,
      },
    });
    const task: LoadTask = { load: true };
    const loading = piscina.run(task) as Promise<unknown>;
    loading.catch(() => {});
    const thread = piscina.threads[0];
    if (!thread) throw new Error("the pool has started no thread");
    return new Cell(piscina, thread, loading);
  }

  /** Lets the thread seal itself. Resolves when it has tried to. Rejects when it has died; the cell is unusable then. */
  async sealThread({ setup, sweep }: SealOptions): Promise<void> {
    this.#sweeps = sweep;
    const task: ReadyTask = { ready: setup };
    const sealing = this.#piscina.run(task) as Promise<ReadyReply>;
    sealing.catch(() => {});
    this.#noteStartingUp(sealing);
    this.#ready = await Promise.race([sealing, this.#died]);
  }

  get seal(): ReadyReply["seal"] {
    return this.#ready.seal;
  }

  /** False when its own seal forbids it to take tasks. */
  get sealedEnough(): boolean {
    return this.#ready.usable;
  }

  get sealReason(): string | undefined {
    return this.#ready.reason;
  }

  /** Whether it can take another call. */
  get usable(): boolean {
    return !this.#dead;
  }

  /** Between two calls nothing has to be waited for. */
  get free(): boolean {
    return !this.#dead;
  }

  whenFree(): Promise<void> {
    return Promise.resolve();
  }

  /** True once the thread has ended. One that is stuck in a system call has not, long after it was retired. */
  get gone(): boolean {
    return this.#gone;
  }

  /** What the thread wrote to its own stdout and stderr so far, cut and cleaned. */
  get output(): string {
    return this.#output.text;
  }

  /**
   * Runs one call. The reply is untrusted. Rejects when the signal aborts (the thread is then being terminated) and
   * when the thread dies; the cell is unusable after both.
   */
  async run(task: ToolTask, signal: AbortSignal, watch: CallWatch): Promise<unknown> {
    this.#running = { nonce: task.nonce, watch };
    // Before piscina terminates the thread: what a thread that is gone has started can't be told from what we have.
    const sweep = (): void => this.#sweep();
    if (this.#sweeps) signal.addEventListener("abort", sweep, { once: true });
    try {
      const reply: unknown = await this.#piscina.run(task, { signal });
      // Notes come by another port than replies, and the last of them may be a turn behind.
      if (task.module !== undefined) await nextTurn();
      return reply;
    } catch (error) {
      await settledWithin(this.retire(), ENDED_CALL_WAIT_MS);
      throw error;
    } finally {
      signal.removeEventListener("abort", sweep);
      this.#running = undefined;
    }
  }

  /** Ends the thread and all that it started. Resolves when they are gone, or after half a second. Never throws. */
  retire(): Promise<void> {
    this.#dead = true;
    this.#retired ??= this.#end();
    return this.#retired;
  }

  #noteStartingUp(task: Promise<unknown>): void {
    const under = Promise.race([task, this.#died]).then(
      () => {},
      () => {},
    );
    this.#startingUp = under;
    void under.then(() => {
      if (this.#startingUp === under) this.#startingUp = undefined;
    });
  }

  #takeMessage(message: unknown): void {
    if (++this.#messages < MESSAGES_MAX) {
      const note = callNote(message, this.#running?.nonce);
      if (note) this.#running?.watch.onNote?.(note);
    } else if (this.#messages === MESSAGES_MAX) {
      this.#running?.watch.onFlood(this.#messages);
      void this.retire();
    }
  }

  async #end(): Promise<void> {
    // A thread that waits for its child (execSync) can be terminated only when the child is gone.
    this.#sweep();
    const starting = this.#startingUp;
    // Node aborts the process when a thread is terminated while it loads an addon: one that takes its time is left to it.
    if (starting && !(await settledWithin(starting, RETIRE_WAIT_MS))) {
      void starting.then(() => this.#piscina.destroy());
      return;
    }
    void this.#piscina.destroy();
    const deadline = performance.now() + RETIRE_WAIT_MS;
    while (this.#sweeps && performance.now() < deadline) {
      if (await settledWithin(this.#exited, SWEEP_EVERY_MS)) return;
      this.#sweep();
    }
    await settledWithin(this.#exited, RETIRE_WAIT_MS);
  }

  #sweep(): void {
    if (this.#sweeps && this.#ready.tid !== undefined) killDescendants(this.#ready.tid);
  }
}

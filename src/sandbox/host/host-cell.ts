import { randomBytes } from "node:crypto";
import { LIMITS } from "../../limits.ts";
import { EndedCall } from "../ended-call.ts";
import { MemoryWatch } from "../memory-watch.ts";
import type { ToolTask } from "../protocol.ts";
import { settledWithin } from "../settled-within.ts";
import type { CallWatch, ToolCell } from "../tool-cell.ts";
import type { Frame } from "./frames.ts";
import { residentBytes } from "./host-memory.ts";
import { type HostDeath, HostProcess } from "./host-process.ts";
import { type HostOptions, hostArguments, hostSetup } from "./host-setup.ts";
import { type HostReady, parseFailed, parseIdle, parseNote, parseReady } from "./messages.ts";

const SECRET_BYTES = 16;
/** A host that is not ready after this long never will be. */
const START_MAX_MS = 15_000;
/** How long after a call its thread may take to be gone, before the whole host is ended. */
const CLEAN_UP_MAX_MS = 200;
/** How long a call that was ended waits for its thread to be gone before it is reported. */
const ENDED_CALL_WAIT_MS = 25;
const RETIRE_WAIT_MS = 500;
const NOTES_MAX = 64;

interface PendingCall {
  number: number;
  resolve: (reply: unknown) => void;
  reject: (error: unknown) => void;
  nonce: string;
  watch: CallWatch;
  notes: number;
}

/** A tool host as a place where calls run, one at a time. Every frame that is not expected now ends the host. */
export class HostCell implements ToolCell {
  readonly memory: MemoryWatch;
  readonly #process: HostProcess;
  readonly #secret: string;
  #ready: HostReady | undefined;
  #onReady: (() => void) | undefined;
  #calls = 0;
  #pending: PendingCall | undefined;
  /** The call of which something may still be there. */
  #cleaning: { number: number; done: Promise<void>; finish: () => void } | undefined;
  #output = "";
  #dead = false;
  #rss = { before: 0, now: 0 };

  private constructor(options: HostOptions) {
    this.#secret = randomBytes(SECRET_BYTES).toString("hex");
    this.#process = new HostProcess({
      args: hostArguments(options),
      cwd: options.worker.root,
      onFrame: (frame) => this.#take(frame),
    });
    this.memory = new MemoryWatch(LIMITS.memoryGrowthMaxBytes, () => this.#measure());
    void this.#process.gone.then((death) => this.#end(death));
    this.#process.send({ kind: "setup", call: 0, text: JSON.stringify(hostSetup(options, this.#secret)) });
  }

  /** Resolves when the host and its first thread are sealed. Rejects when it could not start, or the signal aborts. */
  static async start(options: HostOptions, signal: AbortSignal): Promise<HostCell> {
    signal.throwIfAborted();
    const cell = new HostCell(options);
    const onAbort = (): void => cell.#process.kill();
    signal.addEventListener("abort", onAbort, { once: true });
    void cell.#process.gone.then(() => signal.removeEventListener("abort", onAbort));
    const ready = new Promise<void>((resolve) => (cell.#onReady = resolve));
    const began = Promise.race([ready, cell.#process.gone]);
    if (!(await settledWithin(began, START_MAX_MS))) cell.#process.fail(`not ready after ${START_MAX_MS} ms`);
    const death = await began;
    if (death) throw new Error(`the tool host did not start: ${death.how}${lastWords(cell.#process)}`);
    return cell;
  }

  get seal(): HostReady["seal"] {
    return this.#ready?.seal ?? "unavailable";
  }

  get sealedEnough(): boolean {
    return this.#ready?.usable === true;
  }

  get sealReason(): string | undefined {
    return this.#ready?.reason;
  }

  get usable(): boolean {
    return !this.#dead && !this.#process.ending;
  }

  get free(): boolean {
    return this.usable && !this.#pending && !this.#cleaning;
  }

  async whenFree(): Promise<void> {
    await this.#cleaning?.done;
  }

  get output(): string {
    return this.#output || this.#process.output.text;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  async run(task: ToolTask, signal: AbortSignal, watch: CallWatch): Promise<unknown> {
    signal.throwIfAborted();
    if (!this.free) throw new Error("the tool host has another call");
    const number = ++this.#calls;
    this.#output = "";
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#pending = { number, resolve, reject, watch, nonce: task.nonce, notes: 0 };
    });
    this.#process.send({ kind: "run", call: number, text: JSON.stringify({ task }) });
    const onAbort = (): void => this.#cancel(number, signal.reason);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      return await reply;
    } catch (error) {
      await settledWithin(this.whenFree(), ENDED_CALL_WAIT_MS);
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async retire(): Promise<void> {
    this.#dead = true;
    this.#process.kill();
    await settledWithin(this.#process.gone, RETIRE_WAIT_MS);
  }

  #cancel(number: number, reason: unknown): void {
    if (this.#pending?.number !== number) return;
    this.#process.send({ kind: "cancel", call: number, text: "" });
    const { reject } = this.#settle();
    reject(reason);
  }

  /** The call is over for the one who made it; the host now has a moment to be rid of it. */
  #settle(): PendingCall {
    const pending = this.#pending as PendingCall;
    this.#pending = undefined;
    let finish = (): void => {};
    const done = new Promise<void>((resolve) => (finish = resolve));
    this.#cleaning = { number: pending.number, done, finish };
    void settledWithin(done, CLEAN_UP_MAX_MS).then((clean) => clean || this.#process.kill());
    return pending;
  }

  #take(frame: Frame): void {
    const known = this.#ready ? this.#takeOfCall(frame) : this.#takeReady(frame);
    if (!known) this.#process.fail(`it sent a ${frame.kind} frame that was not expected`);
  }

  #takeReady(frame: Frame): boolean {
    const ready = frame.kind === "ready" ? parseReady(frame.text) : undefined;
    if (ready?.secret !== this.#secret) return false;
    this.#ready = ready;
    this.#onReady?.();
    return true;
  }

  #takeOfCall(frame: Frame): boolean {
    const { kind, call, text } = frame;
    if (kind === "idle") {
      if (this.#cleaning?.number !== call || parseIdle(text)?.secret !== this.#secret) return false;
      const { finish } = this.#cleaning;
      this.#cleaning = undefined;
      finish();
      return true;
    }
    // It crossed with the cancelling of its call.
    if (this.#cleaning?.number === call && !this.#pending) return kind !== "ready";
    if (this.#pending?.number !== call) return false;
    if (kind === "failed") return this.#takeFailure(text);
    if (kind === "note") return this.#takeNote(text, this.#pending);
    if (kind !== "reply") return false;
    this.#settle().resolve({
      head: text,
      ...(frame.bytes.byteLength > 0 ? { bytes: frame.bytes } : {}),
    });
    return true;
  }

  /** The host counts them too; one that sends more is no host of ours. */
  #takeNote(text: string, pending: PendingCall): boolean {
    const note = parseNote(text, pending.nonce);
    if (!note || ++pending.notes > NOTES_MAX) return false;
    pending.watch.onNote?.(note);
    return true;
  }

  #takeFailure(text: string): boolean {
    const failed = parseFailed(text);
    if (!failed) return false;
    this.#output = failed.output ?? "";
    const { reject, watch } = this.#settle();
    if (failed.flood !== undefined) watch.onFlood(failed.flood);
    reject(Object.assign(new Error(failed.message), failed.code === undefined ? {} : { code: failed.code }));
    return true;
  }

  #end(death: HostDeath): void {
    this.#dead = true;
    this.#cleaning?.finish();
    this.#cleaning = undefined;
    this.#pending?.reject(new EndedCall(endOfDeath(death, this.#rss.now - this.#rss.before)));
    this.#pending = undefined;
  }

  #measure(): number {
    const now = this.pid === undefined ? 0 : residentBytes(this.pid);
    if (!this.#pending) this.#rss.before = now;
    this.#rss.now = now;
    return now;
  }
}

function lastWords(host: HostProcess): string {
  const line = host.output.text.split("\n").find((text) => /^\w*Error\b/.test(text));
  return line ? ` (${line.slice(0, 200)})` : "";
}

/** Killed while it grew fast: then it was the kernel that needed the memory. */
function endOfDeath({ how, outOfMemory }: HostDeath, grownBytes: number): EndedCall["end"] {
  const byKernel = how === "killed by SIGKILL" && grownBytes > LIMITS.memoryGrowthMaxBytes / 2;
  if (outOfMemory || byKernel) {
    return {
      errorType: "memory_limit",
      message: "the tool used up the memory of its host and was stopped; ask for less at once",
    };
  }
  return {
    errorType: "worker_crash",
    message: `the tool's host process ended (${how}); do not call it the same way again`,
  };
}

import type { Duplex } from "node:stream";
import { join } from "node:path";
import { types } from "node:util";
import { Cell } from "../../src/sandbox/cell.ts";
import { encodeFrame, fitsReply, type Frame, FrameReader } from "../../src/sandbox/host/frames.ts";
import type { HostFailed, HostReady, HostRun, HostSetup } from "../../src/sandbox/host/messages.ts";
import type { CallNote } from "../../src/sandbox/protocol.ts";
import type { SealOutcome } from "../seal/seal.ts";

interface RunningCall {
  number: number;
  abort: AbortController;
}

/** The calls of a tool host: takes them from the pipe one by one, each into a thread of this process. */
export class HostServer {
  readonly #pipe: Duplex;
  readonly #setup: HostSetup;
  readonly #reader = new FrameReader(["run", "cancel"]);
  readonly #outcome: SealOutcome;
  #next: Promise<Cell> | undefined;
  #call: RunningCall | undefined;

  constructor(pipe: Duplex, setup: HostSetup, outcome: SealOutcome) {
    this.#pipe = pipe;
    this.#setup = setup;
    this.#outcome = outcome;
  }

  /** Starts the first thread, says how both are sealed, and serves until the pipe ends. */
  async start(onFirstThread: () => void): Promise<void> {
    this.#next = this.#startThread();
    const thread = await this.#next;
    onFirstThread();
    const outcome = this.#outcome;
    const { secret } = this.#setup;
    const ready: HostReady =
      outcome.state === "sealed" || this.#setup.worker.seal === "off"
        ? { secret, seal: thread.seal, usable: thread.sealedEnough, ...reasonOf(thread.sealReason) }
        : {
            secret,
            seal: "unavailable",
            usable: outcome.usable && thread.sealedEnough,
            reason: outcome.reason,
          };
    this.#pipe.on("data", (chunk: Buffer) => this.#read(chunk));
    this.#pipe.on("end", () => process.exit(0));
    this.#pipe.on("error", () => process.exit(0));
    this.#send("ready", 0, JSON.stringify(ready));
  }

  #read(chunk: Buffer): void {
    for (const frame of this.#reader.push(chunk)) this.#take(frame);
    if (this.#reader.problem !== undefined) throw new Error(this.#reader.problem);
  }

  #take({ kind, call, text }: Frame): void {
    if (kind === "cancel") {
      // A call that is over already has nothing to be cancelled.
      if (this.#call?.number === call) this.#call.abort.abort();
      return;
    }
    if (this.#call) throw new Error("a second call at the same time");
    this.#call = { number: call, abort: new AbortController() };
    void this.#run((JSON.parse(text) as HostRun).task, this.#call);
  }

  async #run(task: HostRun["task"], call: RunningCall): Promise<void> {
    const { number, abort } = call;
    const shared = this.#setup.sharedThread || task.body === "self-check";
    let thread: Cell | undefined;
    let flood: number | undefined;
    try {
      thread = await this.#takeThread(shared);
      const onFlood = (messages: number): void => {
        flood = messages;
        abort.abort();
      };
      const onNote = (note: CallNote): void => this.#send("note", number, JSON.stringify(note));
      this.#sendReply(number, await thread.run(task, abort.signal, { onFlood, onNote }));
    } catch (error) {
      this.#send("failed", number, JSON.stringify(failedOf(error, flood, thread?.output)));
    }
    await this.#cleanUp(thread, shared);
    // A thread that does not end leaves the host in this call; the main process ends it then.
    if (thread && !thread.usable && !thread.gone) return;
    this.#call = undefined;
    this.#send("idle", number, JSON.stringify({ secret: this.#setup.secret }));
  }

  async #takeThread(shared: boolean): Promise<Cell> {
    const next = this.#next ?? this.#startThread();
    this.#next = shared ? next : this.#startSpare();
    // It was started beside the call before, which may have left it neither descriptors nor memory. It had no task yet.
    const thread = await next.catch(() => undefined);
    return thread?.usable ? thread : this.#startThread();
  }

  async #cleanUp(thread: Cell | undefined, shared: boolean): Promise<void> {
    if (thread?.usable && shared) return;
    if (shared) this.#next = this.#startSpare();
    await thread?.retire();
  }

  #startSpare(): Promise<Cell> | undefined {
    const spare = this.#startThread();
    // The call that needs it starts another.
    spare.catch(() => {});
    return spare;
  }

  #startThread(): Promise<Cell> {
    const { worker, sharedThread } = this.#setup;
    return Cell.start({
      setup: { ...worker, lastOwnDescriptor: 3 },
      atomics: sharedThread ? "sync" : "disabled",
      // A sealed thread starts no process.
      sweep: this.#outcome.state !== "sealed",
      // The package's own package.json is not for the host to read.
      file: join(__dirname, "tool-worker.cjs"),
      keepFlags: true,
    });
  }

  /** Carried as it came: it is the main process that checks it. What cannot be carried is told apart there too. */
  #sendReply(call: number, reply: unknown): void {
    const { head, bytes } = Object(reply) as { head?: unknown; bytes?: unknown };
    const content = types.isUint8Array(bytes) ? bytes : undefined;
    if (typeof head === "string" && fitsReply(Buffer.byteLength(head), content?.byteLength ?? 0)) {
      this.#send("reply", call, head, content);
    } else this.#send("reply", call, "null");
  }

  #send(kind: Frame["kind"], call: number, text: string, bytes?: Uint8Array): void {
    this.#pipe.cork();
    for (const part of encodeFrame({ kind, call, text, ...(bytes && { bytes }) })) this.#pipe.write(part);
    this.#pipe.uncork();
  }
}

function reasonOf(reason: string | undefined): { reason?: string } {
  return reason === undefined ? {} : { reason };
}

const MESSAGE_MAX_CHARS = 1_000;

function failedOf(error: unknown, flood: number | undefined, output: string | undefined): HostFailed {
  const { message, code } = Object(error) as { message?: unknown; code?: unknown };
  return {
    message: String(message ?? error).slice(0, MESSAGE_MAX_CHARS),
    ...(typeof code === "string" && { code: code.slice(0, MESSAGE_MAX_CHARS) }),
    ...(flood !== undefined && { flood }),
    ...(output && { output }),
  };
}

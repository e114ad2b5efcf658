import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { ToolErrorType } from "../errors.ts";
import type { SealReport } from "../events/run-event.ts";
import { LIMITS } from "../limits.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { ToolIsolation } from "../tools/tool-result.ts";
import { CallDeadline, type CallEnd } from "./call-deadline.ts";
import { Cell } from "./cell.ts";
import { type CellKind, CellStore } from "./cell-store.ts";
import { canonicalRoot } from "./guard/canonical-root.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { Nonces } from "./nonces.ts";
import type { LayerSwitches, ReplyOk, ToolReply, WorkerSetup } from "./protocol.ts";
import { endOf, runInCell } from "./run-in-cell.ts";
import { runSelfCheck, startLibuvPool } from "./self-check.ts";
import type { SelfCheckInput } from "./self-check-input.ts";
import { SlotQueue } from "./slot-queue.ts";

/** Four calls of one turn run side by side even on a small machine; more threads than eight only cost memory. */
const PARALLEL_MIN = 4;
const PARALLEL_MAX = 8;

/** Milliseconds the self-check may take. */
const SELF_CHECK_MS = 10_000;
const SEAL_OFF: SealReport = {
  state: "off",
  landlock_abi: 0,
  seccomp: false,
  escaped: [],
  reason: "switched off",
};

/** The first worker that any run needs. */
const READER = { profile: "read", module: undefined } as const;

const CLOSED: CallEnd = {
  errorType: "cancelled",
  message: "the run is over; no tool can be called any more",
};

export interface ToolPoolOptions {
  /** The workspace. */
  root: string;
  seal: WorkerSetup["seal"];
  /** Calls that may run at once; by default as many as the machine has cores, at least 4 and at most 8. */
  maxThreads?: number;
  /** Layers switched off by the attack harness. */
  switches?: LayerSwitches;
}

export type PoolOutcome =
  | ({ kind: "reply"; reply: unknown; nonce: string } & ToolIsolation)
  | ({
      kind: "failed";
      errorType: ToolErrorType;
      message: string;
      /** What the worker had written to its own stdout and stderr. */
      output?: string;
    } & ToolIsolation);

/** Runs tool bodies in worker threads: queue, deadline, memory watch, and the end of whatever a call left behind. */
export class ToolPool {
  /** Canonical path of the workspace, and the device it lies on. */
  readonly root: string;
  readonly rootDev: number;
  readonly switches: LayerSwitches;
  /** Calls that may run at once. */
  readonly parallel: number;
  readonly #seal: WorkerSetup["seal"];
  readonly #slots: SlotQueue;
  readonly #store: CellStore;
  readonly #memory = new MemoryWatch(LIMITS.memoryGrowthMaxBytes);
  readonly #nonces = new Nonces();
  readonly #calls = new Set<CallDeadline>();
  readonly #cellOf = new WeakMap<PoolOutcome, Cell>();
  #checking: Promise<SealReport> | undefined;
  #report: SealReport | undefined;
  #closed = false;

  /** @throws RuiZNError workspace_invalid */
  constructor(options: ToolPoolOptions) {
    this.root = canonicalRoot(options.root);
    this.rootDev = statSync(this.root).dev;
    this.switches = options.switches ?? {};
    this.parallel =
      options.maxThreads ?? Math.min(Math.max(availableParallelism(), PARALLEL_MIN), PARALLEL_MAX);
    this.#seal = options.seal;
    this.#slots = new SlotQueue(this.parallel);
    this.#store = new CellStore({ root: this.root, seal: options.seal, switches: this.switches });
  }

  /**
   * Starts the first worker and lets it attack its own seal, once; later calls get the same answer. No tool runs
   * before this is done. Rejects when no worker can be started at all.
   */
  check(): Promise<SealReport> {
    this.#checking ??= this.#runCheck();
    return this.#checking;
  }

  /** Runs one call. Never rejects: whatever goes wrong is a `failed` outcome. */
  async run(
    tool: BaseTool,
    input: unknown,
    options: { signal: AbortSignal; timeoutMs: number },
  ): Promise<PoolOutcome> {
    const call = new CallDeadline(options);
    if (this.#closed) call.end(CLOSED);
    this.#calls.add(call);
    try {
      call.phase = "starting";
      this.#report ??= await call.race(this.check());
      call.phase = "queued";
      return await this.#inSlot(call, () => this.#runInWorker(tool, input, call));
    } catch (error) {
      return { kind: "failed", ...endOf(call, error), isolation: "none", seal: "none" };
    } finally {
      call.clear();
      this.#calls.delete(call);
    }
  }

  /** For a reply that was found to be false: the worker that sent it serves no other call. */
  discard(outcome: PoolOutcome): void {
    const cell = this.#cellOf.get(outcome);
    if (cell) this.#store.discard(cell);
  }

  /** Ends running calls as `cancelled` and all threads; takes no longer than a second. May be called twice. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const call of this.#calls) call.end(CLOSED);
    await this.#store.close();
  }

  async #inSlot<T>(call: CallDeadline, run: () => Promise<T>): Promise<T> {
    if (!this.#slots.tryTake()) await this.#slots.take(call.signal);
    try {
      return await run();
    } finally {
      this.#slots.release();
    }
  }

  async #runInWorker(tool: BaseTool, input: unknown, call: CallDeadline): Promise<PoolOutcome> {
    const { kind, cell: leased } = this.#store.take(tool);
    call.phase = "starting";
    const cell = leased instanceof Cell ? leased : await this.#started(kind, leased, call);
    const isolation = this.#isolationOf(cell);
    if (!cell.sealedEnough || (this.#seal === "require" && isolation.seal !== "held")) {
      this.#store.keepUntouched(kind, cell);
      return { kind: "failed", ...this.#sealMissing(cell), ...isolation };
    }
    try {
      const running = runInCell({ cell, tool, input, call, memory: this.#memory, nonces: this.#nonces });
      this.#store.replenish(kind);
      const outcome: PoolOutcome = { kind: "reply", ...(await running), ...isolation };
      this.#cellOf.set(outcome, cell);
      this.#store.giveBack(kind, cell);
      return outcome;
    } catch (error) {
      this.#store.discard(cell);
      const output = cell.output;
      return { kind: "failed", ...endOf(call, error), ...(output && { output }), ...isolation };
    }
  }

  /** Waits for a worker that is still starting; when the call ends first, the next call gets it. */
  async #started(kind: CellKind, starting: Promise<Cell>, call: CallDeadline): Promise<Cell> {
    try {
      return await call.race(starting);
    } catch (error) {
      starting.then(
        (cell) => this.#store.keepUntouched(kind, cell),
        () => {},
      );
      throw error;
    }
  }

  #isolationOf(cell: Cell): ToolIsolation {
    const checked = this.#report?.state ?? "none";
    // A worker that could not seal itself is told apart even when another one's seal was seen to hold.
    return { isolation: "thread", seal: checked === "held" && cell.seal !== "held" ? cell.seal : checked };
  }

  #sealMissing(cell: Cell): CallEnd {
    const escaped = this.#report?.escaped.join(", ");
    const why =
      cell.sealReason ??
      this.#report?.reason ??
      (escaped ? `these got through: ${escaped}` : "no reason given");
    return {
      errorType: "seal_unavailable",
      message: `the run requires the kernel seal and it does not hold (${why}); no tool can be called`,
    };
  }

  async #runCheck(): Promise<SealReport> {
    await startLibuvPool();
    const { kind, cell: starting } = this.#store.take(READER);
    const cell = await starting;
    const report =
      this.#seal === "off"
        ? SEAL_OFF
        : await runSelfCheck({ root: this.root, run: (input) => selfCheckIn(cell, input) });
    this.#store.keepUntouched(kind, cell);
    return report;
  }
}

async function selfCheckIn(cell: Cell, input: SelfCheckInput): Promise<unknown> {
  const task = { nonce: "", body: "self-check", input, remainingMs: SELF_CHECK_MS };
  const reply = (await cell.run(task, AbortSignal.timeout(SELF_CHECK_MS), () => {})) as ToolReply;
  return (JSON.parse(reply.head) as ReplyOk).data;
}

import { statSync } from "node:fs";
import { availableParallelism } from "node:os";
import type { SealReport } from "../events/run-event.ts";
import { LIMITS } from "../limits.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import type { ToolIsolation } from "../tools/tool-result.ts";
import { CallDeadline, type CallEnd } from "./call-deadline.ts";
import { checkTier } from "./check-tier.ts";
import { type CellKind, kindOf, type Tier } from "./cell-kind.ts";
import { type Ahead, CellStore } from "./cell-store.ts";
import { canonicalRoot } from "./guard/canonical-root.ts";
import { MemoryWatch } from "./memory-watch.ts";
import { Nonces } from "./nonces.ts";
import type { CallNote, LayerSwitches, WorkerSetup } from "./protocol.ts";
import { endOf, runInCell } from "./run-in-cell.ts";
import { SlotQueue } from "./slot-queue.ts";
import type { ToolCell } from "./tool-cell.ts";
import type { PoolOutcome, ToolRunner } from "./tool-runner.ts";

export type { PoolOutcome } from "./tool-runner.ts";

/** Four calls of one turn run side by side even on a small machine; more threads than eight only cost memory. */
const PARALLEL_MIN = 4;
const PARALLEL_MAX = 8;

/** The first worker that any run needs. */
const READER = { profile: "read", module: undefined } as const;

/** Hosts that are started before they are asked for, at most: each is a process. */
const PREPARED_MAX = 2;
/** The first request is put together meanwhile, and on a small machine a process that starts would hold it up. */
const PREPARE_AFTER_MS = 100;

const CLOSED: CallEnd = {
  errorType: "cancelled",
  message: "the run is over; no tool can be called any more",
};

/** The pool takes over what was launched ahead. */
export interface ToolPoolOptions extends Ahead {
  /** The workspace. */
  root: string;
  seal: WorkerSetup["seal"];
  /** Where all tools run; by default built-in ones in threads, tool modules in processes. */
  isolation?: Tier;
  /** Calls that may run at once; by default as many as the machine has cores, at least 4 and at most 8. */
  maxThreads?: number;
  /** Layers switched off by the attack harness. */
  switches?: LayerSwitches;
}

interface PoolCall {
  tool: BaseTool;
  kind: CellKind;
  input: unknown;
  call: CallDeadline;
  onNote?: ((note: CallNote) => void) | undefined;
}

/** Runs tool bodies in worker threads and tool hosts: queue, deadline, memory watch, and the end of whatever a call left behind. */
export class ToolPool implements ToolRunner {
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
  readonly #cellOf = new WeakMap<PoolOutcome, ToolCell>();
  readonly #isolation: Tier | undefined;
  readonly #checking = new Map<Tier, Promise<SealReport>>();
  readonly #reports = new Map<Tier, SealReport>();
  #closed = false;

  /** @throws RuiZNError workspace_invalid */
  constructor(options: ToolPoolOptions) {
    this.root = canonicalRoot(options.root);
    this.rootDev = statSync(this.root).dev;
    this.switches = options.switches ?? {};
    this.parallel =
      options.maxThreads ?? Math.min(Math.max(availableParallelism(), PARALLEL_MIN), PARALLEL_MAX);
    this.#seal = options.seal;
    this.#isolation = options.isolation;
    this.#slots = new SlotQueue(this.parallel);
    const { root, switches } = this;
    this.#store = new CellStore({ root, seal: options.seal, switches }, options);
  }

  /**
   * Starts the first worker and lets it attack its own seal, once; later calls get the same answer. No tool runs
   * before this is done. Rejects when no worker can be started at all. A tier that only some tools run in is checked
   * before the first of these does.
   */
  check(): Promise<SealReport> {
    return this.#check(kindOf(READER, this.#isolation));
  }

  /**
   * Starts the hosts that these tools will need, and spares of those that are there, without waiting: the model is asked
   * meanwhile, for longer than a process takes to start.
   */
  prepare(tools: Iterable<BaseTool>): void {
    const kinds = new Map<string, CellKind>();
    for (const kind of Array.from(tools, (tool) => kindOf(tool, this.#isolation)))
      if (kind.tier === "process" && kinds.size < PREPARED_MAX) kinds.set(kind.key, kind);
    if (kinds.size > 0) setTimeout(() => this.#prepare(kinds.values()), PREPARE_AFTER_MS).unref();
  }

  /** Runs one call. Never rejects: whatever goes wrong is a `failed` outcome. */
  async run(
    tool: BaseTool,
    input: unknown,
    options: { signal: AbortSignal; timeoutMs: number; onNote?: PoolCall["onNote"] },
  ): Promise<PoolOutcome> {
    const call = new CallDeadline(options);
    const kind = kindOf(tool, this.#isolation);
    if (this.#closed) call.end(CLOSED);
    this.#calls.add(call);
    try {
      call.phase = "starting";
      if (!this.#reports.has(kind.tier)) await call.race(this.#check(kind));
      call.phase = "queued";
      const { onNote } = options;
      return await this.#inSlot(call, () => this.#runInWorker({ tool, kind, input, call, onNote }));
    } catch (error) {
      return { kind: "failed", ...endOf(call, error), isolation: "none", seal: "none" };
    } finally {
      call.clear();
      this.#calls.delete(call);
    }
  }

  /** The worker that sent a false reply serves no other call. */
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

  async #runInWorker({ kind, tool, input, call, onNote }: PoolCall): Promise<PoolOutcome> {
    const leased = this.#store.take(kind);
    call.phase = "starting";
    const cell = leased instanceof Promise ? await this.#started(kind, leased, call) : leased;
    const isolation = this.#isolationOf(kind, cell);
    if (!cell.sealedEnough || (this.#seal === "require" && isolation.seal !== "held")) {
      this.#store.keepUntouched(kind, cell);
      return { kind: "failed", ...this.#sealMissing(kind, cell), ...isolation };
    }
    try {
      const running = runInCell({
        cell,
        tool,
        input,
        call,
        onNote,
        memory: this.#memory,
        nonces: this.#nonces,
      });
      this.#store.replenish(kind);
      const outcome: PoolOutcome = { kind: "reply", ...(await running), ...isolation };
      this.#cellOf.set(outcome, cell);
      this.#store.giveBack(kind, cell);
      return outcome;
    } catch (error) {
      const end = endOf(call, error);
      // Memory that a call has filled is free again only with its process.
      if (end.errorType === "memory_limit") this.#store.discard(cell);
      else this.#store.giveBack(kind, cell);
      const output = cell.output;
      return { kind: "failed", ...end, ...(output && { output }), ...isolation };
    }
  }

  /** Waits for a worker that is still starting; when the call ends first, the next call gets it. */
  async #started(kind: CellKind, starting: Promise<ToolCell>, call: CallDeadline): Promise<ToolCell> {
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

  #isolationOf({ tier }: CellKind, cell: ToolCell): ToolIsolation {
    const checked = this.#reports.get(tier)?.state ?? "none";
    // A worker that could not seal itself is told apart even when another one's seal was seen to hold.
    return { isolation: tier, seal: checked === "held" && cell.seal !== "held" ? cell.seal : checked };
  }

  #sealMissing({ tier }: CellKind, cell: ToolCell): CallEnd {
    const report = this.#reports.get(tier);
    const escaped = report?.escaped.join(", ");
    const why =
      cell.sealReason ?? report?.reason ?? (escaped ? `these got through: ${escaped}` : "no reason given");
    return {
      errorType: "seal_unavailable",
      message: `the run requires the kernel seal and it does not hold (${why}); no tool can be called`,
    };
  }

  #prepare(kinds: Iterable<CellKind>): void {
    if (this.#closed) return;
    for (const kind of kinds) {
      // A spare that is started with the first call would take the machine from it.
      if (this.#checking.has(kind.tier)) this.#store.replenish(kind, { besideIdle: true });
      // What goes wrong here goes wrong again in the call, and is told there.
      else this.#check(kind).catch(() => {});
    }
  }

  #check(kind: CellKind): Promise<SealReport> {
    let checking = this.#checking.get(kind.tier);
    if (!checking) {
      // In a thread it is a reader that attacks: programs are what the shell profile is there for, and get through.
      const attacker = kind.tier === "thread" ? kindOf(READER, "thread") : kind;
      checking = checkTier({ kind: attacker, store: this.#store, root: this.root, seal: this.#seal });
      this.#checking.set(kind.tier, checking);
      checking.then(
        (report) => this.#reports.set(kind.tier, report),
        () => {},
      );
    }
    return checking;
  }
}

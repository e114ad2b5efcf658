import type { CellKind } from "./cell-kind.ts";
import { Cell, type SealOptions } from "./cell.ts";
import type { HostAhead } from "./host/host-ahead.ts";
import type { HostOptions } from "./host/host-setup.ts";
import type { LayerSwitches, WorkerSetup } from "./protocol.ts";
import { settledWithin } from "./settled-within.ts";
import type { ToolCell } from "./tool-cell.ts";

/** Spares of kinds that were not asked for lately are given up beyond this many. */
const SPARES_MAX = 4;
/** Hosts of one kind that are kept when nothing runs in them. */
const IDLE_HOSTS_MAX = 4;
/** How long closing waits for hosts that were killed while they started. */
const STARTING_GONE_MS = 500;

/** What was launched before it was known what for. */
export interface Ahead {
  /** A thread (`Cell.launch`) with atomics `sync`. */
  firstThread?: Cell;
  /** A tool host, where all tools run in hosts. */
  firstHost?: HostAhead;
}

/** Keeps warm workers and hosts: idle ones that serve again, and for every kind in use one sealed spare. */
export class CellStore {
  readonly #base: Pick<WorkerSetup, "root" | "seal"> & { switches?: LayerSwitches };
  readonly #idle = new Map<string, ToolCell[]>();
  /** In order of last use. */
  readonly #spares = new Map<string, Promise<ToolCell>>();
  readonly #all = new Set<ToolCell>();
  readonly #startingHosts = new Set<Promise<ToolCell>>();
  readonly #closing = new AbortController();
  /** A thread for our own bodies that was started ahead, until it is taken. */
  #ahead: Cell | undefined;
  #hostAhead: HostAhead | undefined;

  constructor(base: Pick<WorkerSetup, "root" | "seal"> & { switches?: LayerSwitches }, ahead: Ahead = {}) {
    this.#base = base;
    this.#ahead = ahead.firstThread;
    this.#hostAhead = ahead.firstHost;
  }

  /** Where the canary has to be for the host that was started ahead; the caller removes it. */
  takeCanaryFolder(): string | undefined {
    return this.#hostAhead?.takeCanaryFolder(this.#base.root);
  }

  /** A cell for one call. A rejected promise means that none could be started. */
  take(kind: CellKind): ToolCell | Promise<ToolCell> {
    const idle = kind.reused ? this.#takeIdle(kind) : undefined;
    if (idle) return idle;
    const spare = this.#spares.get(kind.key);
    this.#spares.delete(kind.key);
    return spare?.then((cell) => (cell.usable ? cell : this.start(kind))) ?? this.start(kind);
  }

  /** Gives a cell back after a call. */
  giveBack(kind: CellKind, cell: ToolCell): void {
    if (!kind.reused || !cell.usable || this.#closing.signal.aborted) this.discard(cell);
    else if (!cell.free) void cell.whenFree().then(() => this.giveBack(kind, cell));
    else if (kind.tier === "process" && this.#idleOf(kind).length >= IDLE_HOSTS_MAX) this.discard(cell);
    else this.#idleOf(kind).push(cell);
  }

  /** For a cell that was started for a call that is over already: it is as good as new. */
  keepUntouched(kind: CellKind, cell: ToolCell): void {
    if (kind.reused) this.giveBack(kind, cell);
    else if (this.#closing.signal.aborted || this.#spares.has(kind.key)) this.discard(cell);
    else this.#spares.set(kind.key, Promise.resolve(cell));
  }

  /**
   * Sees to it that the next call of this kind finds a spare, and with `besideIdle` the one after it too. A shared thread
   * has none: it starts in no time.
   */
  replenish(kind: CellKind, { besideIdle = false } = {}): void {
    const shared = kind.tier === "thread" && kind.reused;
    if (shared || this.#closing.signal.aborted || this.#spares.has(kind.key)) return;
    if (!besideIdle && this.#idle.get(kind.key)?.some((cell) => cell.usable)) return;
    const spare = this.start(kind);
    spare.catch(() => this.#forget(kind, spare));
    this.#spares.set(kind.key, spare);
    const [oldest] = this.#spares;
    if (this.#spares.size <= SPARES_MAX || !oldest) return;
    this.#spares.delete(oldest[0]);
    oldest[1].then(
      (cell) => this.discard(cell),
      () => {},
    );
  }

  discard(cell: ToolCell): void {
    void cell.retire().then(() => this.#all.delete(cell));
  }

  /** Ends every worker and host, also those still starting. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#idle.clear();
    this.#spares.clear();
    const unused = [this.#ahead, this.#hostAhead].flatMap((cell) => cell ?? []);
    // Killed by the signal: no process is left once this is done.
    const killed = settledWithin(Promise.allSettled(this.#startingHosts), STARTING_GONE_MS);
    await Promise.all([...[...this.#all, ...unused].map((cell) => cell.retire()), killed]);
  }

  /** @param permitted for the self-check of a host: see HostOptions. */
  async start(kind: CellKind, permitted?: readonly string[]): Promise<ToolCell> {
    const { tier, sharedThread, profile, readPaths, sweep } = kind;
    const worker: WorkerSetup = { ...this.#base, profile, readPaths };
    const cell =
      tier === "process"
        ? await this.#startHost(worker, { sharedThread, ...(permitted && { permitted }) })
        : await this.#startThread({ setup: worker, sweep }, sharedThread);
    this.#all.add(cell);
    if (this.#closing.signal.aborted) await cell.retire();
    return cell;
  }

  async #startThread(options: SealOptions, shared: boolean): Promise<Cell> {
    const ahead = shared ? this.#ahead : undefined;
    if (!ahead?.usable) return Cell.start({ ...options, atomics: shared ? "sync" : "disabled" });
    this.#ahead = undefined;
    await ahead.sealThread(options);
    return ahead;
  }

  /** Loaded when it is needed: most runs need no host. */
  async #startHost(
    worker: WorkerSetup,
    options: { sharedThread: boolean; permitted?: readonly string[] },
  ): Promise<ToolCell> {
    const { HostCell } = await import("./host/host-cell.ts");
    const starting =
      this.#takeHostAhead({ worker, ...options }) ??
      HostCell.start({ worker, ...options }, this.#closing.signal);
    this.#startingHosts.add(starting);
    try {
      return await starting;
    } finally {
      this.#startingHosts.delete(starting);
    }
  }

  #takeHostAhead(options: HostOptions): Promise<ToolCell> | undefined {
    const ahead = this.#hostAhead;
    this.#hostAhead = undefined;
    const starting = ahead?.take(options);
    if (starting) this.#closing.signal.addEventListener("abort", () => void ahead?.retire(), { once: true });
    return starting;
  }

  #forget(kind: CellKind, spare: Promise<ToolCell>): void {
    if (this.#spares.get(kind.key) === spare) this.#spares.delete(kind.key);
  }

  #takeIdle(kind: CellKind): ToolCell | undefined {
    const idle = this.#idleOf(kind);
    for (let cell = idle.pop(); cell; cell = idle.pop()) if (cell.usable) return cell;
    return undefined;
  }

  #idleOf(kind: CellKind): ToolCell[] {
    let idle = this.#idle.get(kind.key);
    if (!idle) this.#idle.set(kind.key, (idle = []));
    return idle;
  }
}

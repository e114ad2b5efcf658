import type { BaseTool, ToolProfile } from "../tools/base-tool.ts";
import { Cell } from "./cell.ts";
import { modulePackageFolder } from "./module-package-folder.ts";
import type { LayerSwitches, WorkerSetup } from "./protocol.ts";

/** Spares of kinds that were not asked for lately are given up beyond this many. */
const SPARES_MAX = 4;

export interface CellKind {
  readonly key: string;
  /** Shared: a warm worker that serves one call after the other. Otherwise each call gets one that no call has touched. */
  readonly shared: boolean;
  readonly profile: ToolProfile;
  readonly readPaths: readonly string[];
  readonly sweep: boolean;
}

/** Keeps warm workers: idle shared ones, and for every kind of fresh worker in use one sealed spare. */
export class CellStore {
  readonly #base: Pick<WorkerSetup, "root" | "seal"> & { switches?: LayerSwitches };
  readonly #idle = new Map<string, Cell[]>();
  /** In order of last use. */
  readonly #spares = new Map<string, Promise<Cell>>();
  readonly #all = new Set<Cell>();
  #closed = false;

  constructor(base: Pick<WorkerSetup, "root" | "seal"> & { switches?: LayerSwitches }) {
    this.#base = base;
  }

  /** A worker for one call of this tool. A rejected promise means that no worker could be started. */
  take(tool: Pick<BaseTool, "profile" | "module">): { kind: CellKind; cell: Cell | Promise<Cell> } {
    const kind = kindOf(tool);
    if (kind.shared) return { kind, cell: this.#takeIdle(kind) ?? this.#start(kind) };
    const spare = this.#spares.get(kind.key);
    this.#spares.delete(kind.key);
    return {
      kind,
      cell: spare?.then((cell) => (cell.usable ? cell : this.#start(kind))) ?? this.#start(kind),
    };
  }

  /** Gives a worker back after a call that ended by itself. */
  giveBack(kind: CellKind, cell: Cell): void {
    if (kind.shared && cell.usable && !this.#closed) this.#idleOf(kind).push(cell);
    else this.discard(cell);
  }

  /** For a worker that was started for a call that is over already: it is as good as new. */
  keepUntouched(kind: CellKind, cell: Cell): void {
    if (kind.shared) this.giveBack(kind, cell);
    else if (this.#closed || this.#spares.has(kind.key)) this.discard(cell);
    else this.#spares.set(kind.key, Promise.resolve(cell));
  }

  /** Sees to it that the next call of this kind finds a spare. */
  replenish(kind: CellKind): void {
    if (kind.shared || this.#closed || this.#spares.has(kind.key)) return;
    const spare = this.#start(kind);
    spare.catch(() => this.#spares.delete(kind.key));
    this.#spares.set(kind.key, spare);
    const [oldest] = this.#spares;
    if (this.#spares.size <= SPARES_MAX || !oldest) return;
    this.#spares.delete(oldest[0]);
    void oldest[1].then((cell) => this.discard(cell));
  }

  discard(cell: Cell): void {
    void cell.retire().then(() => this.#all.delete(cell));
  }

  /** Ends every worker, also those still starting. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#idle.clear();
    this.#spares.clear();
    await Promise.all([...this.#all].map((cell) => cell.retire()));
  }

  #takeIdle(kind: CellKind): Cell | undefined {
    const idle = this.#idleOf(kind);
    for (let cell = idle.pop(); cell; cell = idle.pop()) if (cell.usable) return cell;
    return undefined;
  }

  #idleOf(kind: CellKind): Cell[] {
    let idle = this.#idle.get(kind.key);
    if (!idle) this.#idle.set(kind.key, (idle = []));
    return idle;
  }

  async #start(kind: CellKind): Promise<Cell> {
    const setup: WorkerSetup = { ...this.#base, profile: kind.profile, readPaths: kind.readPaths };
    const cell = await Cell.start({ setup, atomics: kind.shared ? "sync" : "disabled", sweep: kind.sweep });
    this.#all.add(cell);
    if (this.#closed) await cell.retire();
    return cell;
  }
}

function kindOf(tool: Pick<BaseTool, "profile" | "module">): CellKind {
  const { profile, module } = tool;
  const shared = module === undefined && profile === "read";
  const readPaths = module === undefined ? [] : [modulePackageFolder(module)];
  const key = [
    shared ? "shared" : "fresh",
    profile,
    module === undefined ? "built-in" : "module",
    ...readPaths,
  ].join("\0");
  return { key, shared, profile, readPaths, sweep: module !== undefined || profile === "shell" };
}

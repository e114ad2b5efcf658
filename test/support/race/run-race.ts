import { closeSync, constants, openSync, readSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { openWorkspace } from "../../../src/sandbox/guard/open-workspace.ts";
import type { GuardSyscalls } from "../../../src/sandbox/guard/syscalls.ts";
import type { Workspace } from "../../../src/sandbox/guard/workspace.ts";
import type { LayerSwitches } from "../../../src/sandbox/protocol.ts";
import { ToolFailure } from "../../../src/tools/tool-body.ts";
import { makeAttackTree, type AttackTree } from "../../../src/probe/attack-tree.ts";
import { arrangeSwap, type SwapShape } from "./swap-shapes.ts";
import { startSwapper, stopSwapper, whilePaused } from "./swapper.ts";

export interface RaceOptions {
  readonly shape: SwapShape;
  readonly reads: number;
  readonly writes: number;
  /** Tries of the guard that is known to be weak; it stops early at `controlLosses`. */
  readonly controlTries: number;
  readonly controlLosses: number;
  readonly switches?: LayerSwitches;
  readonly syscalls?: GuardSyscalls;
}

export interface RaceResult {
  readonly reads: number;
  readonly readsHonest: number;
  readonly leaks: number;
  readonly writes: number;
  readonly writesDone: number;
  /** What is outside was changed. */
  readonly damaged: boolean;
  readonly controlTries: number;
  /** How often the weak guard showed what is outside. */
  readonly controlLosses: number;
  /** Failures that are no ToolFailure. */
  readonly surprises: readonly string[];
}

/** Reads and writes one path while a second process exchanges what it names. */
export async function runRace(options: RaceOptions): Promise<RaceResult> {
  const tree = makeAttackTree();
  const { honest, swap, path, rearm } = arrangeSwap(tree, options.shape);
  const before = tree.fingerprint();
  const { switches = {}, syscalls } = options;
  const workspace = openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
  const swapper = await startSwapper(honest, swap);
  try {
    const control = attackWeakGuard(tree, path, options);
    const read = attackReads(workspace, tree, path, options.reads);
    const write = attackWrites(workspace, path, {
      writes: options.writes,
      rearm: () => whilePaused(swapper, rearm),
    });
    await stopSwapper(swapper);
    return {
      ...control,
      ...read,
      ...write,
      damaged: tree.fingerprint() !== before,
      surprises: [...read.surprises, ...write.surprises],
    };
  } finally {
    await stopSwapper(swapper);
    workspace.close();
    tree.remove();
  }
}

function attackReads(
  workspace: Workspace,
  tree: AttackTree,
  path: string,
  reads: number,
): Pick<RaceResult, "reads" | "readsHonest" | "leaks" | "surprises"> {
  const counts = { reads, readsHonest: 0, leaks: 0, surprises: [] as string[] };
  const buffer = Buffer.alloc(64);
  for (let turn = 0; turn < reads; turn++) {
    attempt(counts.surprises, () => {
      const file = workspace.openFile(path);
      const text = buffer.toString("latin1", 0, file.read(buffer, 0));
      file.discard();
      if (text === "public") counts.readsHonest += 1;
      if (text.includes(tree.canary)) counts.leaks += 1;
    });
  }
  return counts;
}

function attackWrites(
  workspace: Workspace,
  path: string,
  { writes, rearm }: { writes: number; rearm: () => void },
): Pick<RaceResult, "writes" | "writesDone" | "surprises"> {
  const counts = { writes, writesDone: 0, surprises: [] as string[] };
  const bytes = Buffer.from("public");
  for (let turn = 0; turn < writes; turn++) {
    attempt(counts.surprises, () => {
      workspace.replaceFile(path, bytes);
      counts.writesDone += 1;
      rearm();
    });
  }
  return counts;
}

function attempt(surprises: string[], act: () => void): void {
  try {
    act();
  } catch (error) {
    const expected = error instanceof ToolFailure && error.errorType !== "runtime_error";
    if (!expected && surprises.length < 10) surprises.push(String(error));
  }
}

/** Resolve, check, open: what must lose, or else the race was none. */
function attackWeakGuard(
  tree: AttackTree,
  path: string,
  options: RaceOptions,
): Pick<RaceResult, "controlTries" | "controlLosses"> {
  const counts = { controlTries: 0, controlLosses: 0 };
  const buffer = Buffer.alloc(64);
  while (counts.controlTries < options.controlTries && counts.controlLosses < options.controlLosses) {
    counts.controlTries += 1;
    try {
      const name = join(tree.root, path);
      if (!realpathSync.native(name).startsWith(`${tree.root}/`)) continue;
      const fd = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      if (buffer.toString("latin1", 0, readSync(fd, buffer)).includes(tree.canary)) counts.controlLosses += 1;
      closeSync(fd);
    } catch {
      // Missing or refused for the moment.
    }
  }
  return counts;
}

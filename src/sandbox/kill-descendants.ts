import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills every process that a thread of this process started, and what those started in turn. The kernel lists
 * children by the thread that started them, so a child of the program that embeds us is never hit. Linux only:
 * elsewhere, and for a thread that is gone, it finds nothing.
 */
export function killDescendants(tid: number): void {
  killTree(childrenOf(`/proc/self/task/${tid}`));
}

/** Kills these processes and all that they started. */
export function killTree(roots: readonly number[]): void {
  const found = new Set<number>();
  const open = [...roots];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    if (found.has(pid)) continue;
    found.add(pid);
    // Stopped before it is looked at: it can have no further child then, and none is orphaned out of sight.
    signal(pid, "SIGSTOP");
    for (const task of tasksOf(pid)) open.push(...childrenOf(`/proc/${pid}/task/${task}`));
  }
  for (const pid of found) signal(pid, "SIGKILL");
}

function childrenOf(taskFolder: string): number[] {
  try {
    return readFileSync(`${taskFolder}/children`, "latin1").split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function tasksOf(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}

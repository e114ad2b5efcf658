import { readdirSync, readFileSync } from "node:fs";

/**
 * Kills (SIGKILL) every process that the given threads of this process started, and what those started in turn. The
 * kernel lists children by the thread that started them, so a child of the program that embeds us is never hit.
 * Linux only: elsewhere, and for threads that are gone, it finds nothing.
 * @returns how many processes were sent the signal.
 */
export function killDescendants(tid: number): number {
  const pids = descendants(childrenOf(`/proc/self/task/${tid}`));
  // Parents first: a parent that is gone cannot start another child.
  for (const pid of pids) kill(pid);
  return pids.length;
}

function descendants(roots: number[]): number[] {
  const found = new Set<number>();
  const open = [...roots];
  for (let pid = open.shift(); pid !== undefined; pid = open.shift()) {
    if (found.has(pid)) continue;
    found.add(pid);
    for (const task of tasksOf(pid)) open.push(...childrenOf(`/proc/${pid}/task/${task}`));
  }
  return [...found];
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

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

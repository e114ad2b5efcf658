import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes of this machine whose command line holds the words, by id. Linux only. */
export function processesWith(...words: string[]): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => commandLine(pid).includes(words.join("\0")))
    .map(Number);
}

/** Threads of this process. Linux only. */
export function threadCount(): number {
  return readdirSync("/proc/self/task").length;
}

/** Waits until a look at the world shows what is expected, for five seconds at most; returns the last look. */
export async function eventually<T>(look: () => T, expected: (seen: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 250; tries++) {
    const seen = look();
    if (expected(seen)) return seen;
    await sleep(20);
  }
  return look();
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

import { readFileSync } from "node:fs";

const KB = 1_024;

/** Resident bytes of a process; 0 when it is gone or the system does not tell (Linux does). */
export function residentBytes(pid: number): number {
  try {
    const [, pages] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return Number(pages ?? 0) * KB;
  } catch {
    return 0;
  }
}

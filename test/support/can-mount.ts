import { readFileSync } from "node:fs";

/** Bit of CAP_SYS_ADMIN. */
const SYS_ADMIN = 21n;

/** Whether this process may mount a small disk of its own. */
export function canMount(): boolean {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return false;
  const status = readFileSync("/proc/self/status", "utf8");
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? "0";
  return ((BigInt(`0x${effective}`) >> SYS_ADMIN) & 1n) === 1n;
}

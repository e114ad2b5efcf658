import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { release, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SealReport } from "../events/run-event.ts";
import { REFUSED, type SyscallGroup } from "../sandbox/profile.ts";
import type { Tier } from "../sandbox/cell-kind.ts";
import { ATTEMPTS } from "../sandbox/self-check-input.ts";
import type { ToolProfile } from "../tools/base-tool.ts";
import { type NodeLine, nodeLine } from "./node-lines.ts";

/** What this machine offers to hold tools in. Field names are those of `ruizn doctor --json`. */
export interface DoctorFacts {
  node: NodeLine;
  platform: string;
  arch: string;
  kernel: string;
  /** `null` when it is not installed. */
  koffi: { version: string } | null;
  landlock_abi: number;
  seccomp: boolean;
  profiles: { name: ToolProfile; workspace: string; refused: readonly SyscallGroup[] }[];
  /** From a worker thread of this process. */
  self_check: SealReport;
  /** What the self-check tried. */
  attempts: readonly string[];
  /** The same from a tool host. */
  tool_host: { self_check: SealReport; attempts: readonly string[] };
}

const PROFILES: readonly { name: ToolProfile; workspace: string }[] = [
  { name: "read", workspace: "read-only" },
  { name: "write", workspace: "read-write" },
  { name: "shell", workspace: "by policy; system programs may be run" },
];

/** Looks at the machine and runs the self-check in a real worker and a real host, with an empty folder for a workspace. */
export async function gatherFacts(): Promise<DoctorFacts> {
  const report = await checkSeal("thread");
  const hostReport = await checkSeal("process");
  return {
    node: nodeLine(process.versions.node, new Date()),
    platform: process.platform,
    arch: process.arch,
    kernel: release(),
    koffi: koffiInstalled(),
    landlock_abi: report.landlock_abi,
    seccomp: report.seccomp,
    profiles: PROFILES.map((profile) => ({ ...profile, refused: REFUSED[profile.name] })),
    self_check: report,
    attempts: ATTEMPTS.thread,
    tool_host: { self_check: hostReport, attempts: ATTEMPTS.process },
  };
}

async function checkSeal(isolation: Tier): Promise<SealReport> {
  const { ToolPool } = await import("../sandbox/tool-pool.ts");
  const root = mkdtempSync(join(tmpdir(), "ruizn-doctor-"));
  const pool = new ToolPool({ root, seal: "try", isolation });
  try {
    return await pool.check();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      state: "unavailable",
      landlock_abi: 0,
      seccomp: false,
      escaped: [],
      reason: `no worker could be started: ${why}`,
    };
  } finally {
    await pool.close();
    rmSync(root, { recursive: true, force: true });
  }
}

/** Found, not loaded: native code is loaded by workers alone, and the self-check shows whether they can. */
function koffiInstalled(): { version: string } | null {
  try {
    const folder = dirname(createRequire(import.meta.url).resolve("koffi"));
    const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string };
    return { version };
  } catch {
    return null;
  }
}

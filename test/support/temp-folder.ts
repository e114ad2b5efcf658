import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PREFIX = "ruizn-tests-";
/** No run of the tests takes that long. */
const STALE_AFTER_MS = 86_400_000;
/** Killed processes are gone within this time, also on a busy machine. */
const GONE_WITHIN_MS = 5_000;

/**
 * All that a run of the tests makes in the temporary folder goes into one of its own, and goes with it. Fails the run when
 * something was made beside that folder, or a process is left that was started in it.
 */
export default function setup(): () => Promise<void> {
  const outer = realpathSync(tmpdir());
  removeStale(outer);
  const before = new Set(ofOurs(outer));
  const folder = mkdtempSync(join(outer, PREFIX));
  // Some tests run the command as another user, and every command plants its canary here.
  chmodSync(folder, 0o1777);
  process.env["TMPDIR"] = folder;
  return async () => {
    const left = await leftBehind(() => ({
      beside: ofOurs(outer).filter((name) => !before.has(name)),
      processes: process.platform === "linux" ? processesIn(folder) : [],
    }));
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    if (left === undefined) return;
    // A teardown that fails is shown, and does not make vitest fail.
    process.exitCode = 1;
    throw new Error(`the tests left behind in ${outer}: ${JSON.stringify(left)}`);
  };
}

interface Left {
  beside: string[];
  processes: string[];
}

/** What is on its way out, or is somebody else's canary of this moment, gets some time. */
async function leftBehind(look: () => Left): Promise<Left | undefined> {
  const deadline = Date.now() + GONE_WITHIN_MS;
  for (;;) {
    const left = look();
    if (left.beside.length + left.processes.length === 0) return undefined;
    if (Date.now() > deadline) return left;
    await sleep(50);
  }
}

/** What other runs of the tests have at the same time is theirs. */
function ofOurs(outer: string): string[] {
  return readdirSync(outer).filter((name) => name.startsWith("ruizn-") && !name.startsWith(PREFIX));
}

/** A run of the tests that was killed leaves its folder. */
function removeStale(outer: string): void {
  for (const name of readdirSync(outer).filter((each) => each.startsWith(PREFIX))) {
    const { mtimeMs, uid } = lstatSync(join(outer, name));
    if (uid === process.getuid?.() && Date.now() - mtimeMs > STALE_AFTER_MS)
      rmSync(join(outer, name), { recursive: true, force: true });
  }
}

/** Runs, tool hosts and swappers all work in a folder of the tests. */
function processesIn(folder: string): string[] {
  return readdirSync("/proc").flatMap((pid) => {
    try {
      if (!/^\d+$/.test(pid) || !readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return [`${pid} (${command.slice(0, 200)})`];
    } catch {
      return [];
    }
  });
}

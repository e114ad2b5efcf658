import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SWAPPER = fileURLToPath(new URL("swapper.cjs", import.meta.url));

/** Starts a second process that exchanges the two names as fast as it can. */
export async function startSwapper(honest: string, swap: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [SWAPPER, honest, swap], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  return child;
}

export async function stopSwapper(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

/** Only a swapper that stands still can be looked at: two names can't be read at one moment. */
export function whilePaused(swapper: ChildProcess, act: () => void): void {
  swapper.kill("SIGSTOP");
  const deadline = Date.now() + 10_000;
  while (!/\) T /.test(readFileSync(`/proc/${swapper.pid}/stat`, "latin1"))) {
    if (Date.now() > deadline) throw new Error("the swapper does not stop");
  }
  act();
  swapper.kill("SIGCONT");
}

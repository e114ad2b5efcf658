import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { GitTool } from "../../src/tools/git/spec.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { eventually, processesWith } from "../support/processes.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ROUNDS = 12;
const AT_ONCE = 4;
const BUSY_MS = 15;

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

// A program that a thread has started becomes a child of another thread when its own is gone, and can't be told from
// the children of the program around us any more: it has to be ended before its thread is.
test.runIf(SEALABLE)(
  "calls that are ended while a program of theirs hangs leave no process, whenever it is",
  async () => {
    const root = tempWorkspace();
    execFileSync("git", ["init", "-q", root], { env: { PATH: process.env["PATH"] } });
    rmSync(join(root, ".git/config"));
    // git waits for somebody to write its settings.
    execFileSync("mkfifo", [join(root, ".git/config")]);
    const pool = new ToolPool({ root, seal: "try" });
    onTestFinished(() => pool.close());
    const git = new GitTool() as BaseTool;
    let ended = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const call = async (lane: number) => {
        const end = new AbortController();
        const outcome = pool.run(git, { command: "log" }, { signal: end.signal, timeoutMs: 20_000 });
        // On a busy machine the thread is gone before this one comes to anything else.
        end.signal.addEventListener("abort", () => busyFor(BUSY_MS));
        await sleep((round * AT_ONCE + lane) * 3);
        end.abort();
        if ((await outcome).kind === "failed") ended += 1;
      };
      await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => call(lane)));
    }
    console.log(`calls ended while git hung: ${ended}`);
    expect(ended).toBe(ROUNDS * AT_ONCE);
    const left = await eventually(
      () => processesWith(root),
      (seen) => seen.length === 0,
    );
    expect(left).toEqual([]);
  },
);

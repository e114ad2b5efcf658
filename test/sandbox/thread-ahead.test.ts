import { writeFileSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { Cell } from "../../src/sandbox/cell.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { ReadFileTool } from "../../src/tools/read-file/spec.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { eventually, threadCount } from "../support/processes.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const readFile = new ReadFileTool() as BaseTool;
const options = () => ({ signal: new AbortController().signal, timeoutMs: 10_000 });

async function setUp() {
  const root = tempWorkspace();
  writeFileSync(join(root, "a.txt"), "this is a\n");
  // Libuv's threads and Node's own are there from here on, and no thread that is on its way out.
  await access("/");
  const other = await Cell.launch({ atomics: "sync" });
  await other.retire();
  const before = await settledThreadCount();
  const firstThread = await Cell.launch({ atomics: "sync" });
  onTestFinished(() => firstThread.retire());
  const pool = new ToolPool({ root, seal: "try", firstThread });
  onTestFinished(() => pool.close());
  return { pool, firstThread, before };
}

/** The same for a while. */
async function settledThreadCount(): Promise<number> {
  for (;;) {
    const count = threadCount();
    await sleep(100);
    if (threadCount() === count) return count;
  }
}

test("a thread that was launched ahead is sealed for the pool's workspace and serves its calls", async () => {
  const { pool, firstThread, before } = await setUp();
  expect(firstThread.seal).toBe("unavailable");
  const report = await pool.check();
  expect(firstThread.seal).toBe(report.state === "held" ? "held" : "unavailable");
  const outcome = await pool.run(readFile, { path: "a.txt" }, options());
  expect(outcome).toMatchObject({ kind: "reply", seal: report.state });
  expect(await eventually(threadCount, (count) => count === before + 1)).toBe(before + 1);
});

test("a thread that was launched ahead takes no call before it is sealed", async () => {
  const { firstThread } = await setUp();
  const task = { nonce: "n", body: "read_file", input: { path: "a.txt" }, remainingMs: 1_000 };
  await expect(firstThread.run(task, new AbortController().signal, { onFlood() {} })).rejects.toThrow(
    "before the worker was sealed",
  );
});

test("one that has died meanwhile is replaced", async () => {
  const { pool, firstThread } = await setUp();
  await firstThread.retire();
  await pool.check();
  expect(await pool.run(readFile, { path: "a.txt" }, options())).toMatchObject({ kind: "reply" });
});

test("one that was never used ends with the pool", async () => {
  const { pool, before } = await setUp();
  expect(await eventually(threadCount, (count) => count === before + 1)).toBe(before + 1);
  await pool.close();
  expect(await eventually(threadCount, (count) => count === before)).toBe(before);
});

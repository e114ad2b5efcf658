import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import { threadCount } from "../support/processes.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

function setUp(maxThreads?: number) {
  const root = tempWorkspace();
  for (const name of ["a", "b", "c"]) writeFileSync(join(root, `${name}.txt`), `this is ${name}\n`);
  const pool = new ToolPool({ root, seal: "try", ...(maxThreads && { maxThreads }) });
  onTestFinished(() => pool.close());
  const registry = new ToolRegistry(readTools());
  const { signal } = new AbortController();
  const read = (path: string): Promise<ToolResult> =>
    invokeTool(
      { id: path, name: "read_file", input: { path } },
      { registry, pool, policy: { decide: () => ({ allowed: true }) }, signal },
    );
  return { pool, read };
}

/** All of a result but its duration. */
function whole(result: ToolResult): unknown {
  const { durationMs, ...rest } = result;
  expect(durationMs).toBeGreaterThan(0);
  return rest;
}

test("a call in a used worker gives the same as one in a new worker, whatever was called before", async () => {
  const fresh = setUp(1);
  const used = setUp(1);
  await used.read("b.txt");
  await used.read("no-such-file.txt");
  await used.read("../outside");
  const [a, b] = [await fresh.read("a.txt"), await used.read("a.txt")];
  expect(a).toMatchObject({ isError: false, content: [{ type: "text", text: "this is a\n" }] });
  expect(whole(b)).toEqual(whole(a));
});

test.runIf(process.platform === "linux")("one reader after the other shares one thread", async () => {
  const { pool, read } = setUp();
  await pool.check();
  await read("a.txt");
  const threads = threadCount();
  for (const path of ["b.txt", "c.txt", "a.txt", "b.txt"]) expect((await read(path)).isError).toBe(false);
  expect(threadCount()).toBe(threads);
});

test("readers at once each get their own file", async () => {
  const { read } = setUp(4);
  const paths = Array.from({ length: 24 }, (_, i) => `${"abc"[i % 3]}.txt`);
  const results = await Promise.all(paths.map(read));
  expect(results.map(({ content }) => content)).toEqual(
    paths.map((path) => [{ type: "text", text: `this is ${path[0]}\n` }]),
  );
});

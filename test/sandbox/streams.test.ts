import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { cliEnv } from "../cli/cli-process.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const CASE = fileURLToPath(new URL("../../bench/hostile-case.mjs", import.meta.url));

/** Runs one hostile body in a process of its own; gives what the process wrote, and what it saw. */
async function runCase(
  kind: string,
  timeoutMs = 20_000,
): Promise<{ said: string; report: Record<string, unknown> }> {
  const reportFile = join(tempWorkspace(), "report.json");
  const child = spawn(process.execPath, [CASE, kind, "try", `${timeoutMs}`, reportFile], {
    // From 22 on Node itself warns on stderr where both NO_COLOR and FORCE_COLOR are there, as they are in these tests.
    env: cliEnv(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  child.stdout.on("data", (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (said += chunk.toString()));
  await new Promise((resolve) => child.on("close", resolve));
  return { said, report: JSON.parse(readFileSync(reportFile, "utf8")) as Record<string, unknown> };
}

test("what a tool writes to console, stdout, stderr and their descriptors never reaches our streams", async () => {
  const { said, report } = await runCase("fd1-write");
  expect(said).toBe("");
  expect(report).toMatchObject({ ended: "result", message: "done", next_works: true });
});

test("a tool cannot close our stdout and stderr", async () => {
  const { said, report } = await runCase("close-fd1");
  expect(said).toBe("");
  expect(report).toMatchObject({ ended: "result", next_works: true, left: { descriptors_closed: [] } });
});

test("a tool that opens a FIFO ends as timeout, and neither the next call nor the process waits for it", async () => {
  const { report } = await runCase("fifo", 4_000);
  expect(report).toMatchObject({ ended: "timeout", next_works: true });
});

import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { tempFolder } from "./cli-process.ts";

const LEAVE = fileURLToPath(new URL("../../dist/src/cli/leave.js", import.meta.url));

function endOf(script: string): { status: number | null; signal: string | null; stdout: string } {
  const { status, signal, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
    encoding: "utf8",
    timeout: 20_000,
  });
  return { status, signal, stdout };
}

test("a thread that is stuck in a system call cannot keep the process, and the code is kept", () => {
  const fifo = join(tempFolder(), "fifo");
  execFileSync("mkfifo", [fifo]);
  const stuck = `
    import { Worker } from "node:worker_threads";
    import { leaveSoon } from ${JSON.stringify(LEAVE)};
    const code = 'require("node:worker_threads").parentPort.postMessage(1); require("node:fs").openSync(${JSON.stringify(fifo)})';
    const worker = new Worker(code, { eval: true, execArgv: [] });
    await new Promise((resolve) => worker.once("message", resolve));
    await new Promise((resolve) => setTimeout(resolve, 300));
    void worker.terminate();
    process.stdout.write("last line\\n");
    leaveSoon(53);`;
  expect(endOf(stuck)).toEqual({ status: 53, signal: null, stdout: "last line\n" });
});

test("a connection that stays open cannot keep it either", () => {
  const listening = `
    import { createServer } from "node:net";
    import { leaveSoon } from ${JSON.stringify(LEAVE)};
    await new Promise((resolve) => createServer().listen(0, "127.0.0.1", resolve));
    leaveSoon(3);`;
  expect(endOf(listening)).toEqual({ status: 3, signal: null, stdout: "" });
});

test("a process that has nothing left to do ends by itself", () => {
  expect(endOf(`import { leaveSoon } from ${JSON.stringify(LEAVE)}; leaveSoon(0);`)).toMatchObject({
    status: 0,
  });
});

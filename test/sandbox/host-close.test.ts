import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { HostCell } from "../../src/sandbox/host/host-cell.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

/** Processes that this one has started and that were not seen to end. */
function children(): string[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
    .filter((pid) => pid !== "");
}

test.runIf(process.platform === "linux")(
  "no host is left when closing is done, at whatever point of its start it was",
  async () => {
    const before = children();
    for (let wait = 0; wait < 300; wait += 20) {
      const pool = new ToolPool({ root: tempWorkspace(), seal: "try", isolation: "process" });
      void pool.check();
      await sleep(wait);
      await pool.close();
      expect({ wait, left: children().filter((pid) => !before.includes(pid)) }).toEqual({ wait, left: [] });
    }
  },
  30_000,
);

test.runIf(process.platform === "linux")("nor the spare of a call whose host has died", async () => {
  const before = children();
  const pool = new ToolPool({ root: tempWorkspace(), seal: "try", isolation: "process" });
  const signal = new AbortController().signal;
  const outcome = await pool.run(new ModuleTool("exit"), {}, { signal, timeoutMs: 10_000 });
  await pool.close();
  expect(outcome).toMatchObject({ kind: "failed", errorType: "worker_crash" });
  expect(children().filter((pid) => !before.includes(pid))).toEqual([]);
});

test("a host that was told to end takes no other call, although it is not gone yet", async () => {
  const abort = new AbortController();
  const worker = { root: tempWorkspace(), profile: "read" as const, seal: "try" as const, readPaths: [] };
  const cell = await HostCell.start({ worker, sharedThread: false }, abort.signal);
  expect(cell.free).toBe(true);
  abort.abort();
  expect({ usable: cell.usable, free: cell.free }).toEqual({ usable: false, free: false });
  await cell.retire();
});

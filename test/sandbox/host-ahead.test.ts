import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { HostAhead } from "../../src/sandbox/host/host-ahead.ts";
import { ToolPool, type ToolPoolOptions } from "../../src/sandbox/tool-pool.ts";
import { ReadFileTool } from "../../src/tools/read-file/spec.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { startCli, tempFolder } from "../cli/cli-process.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { eventually } from "../support/processes.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const readFile = new ReadFileTool() as BaseTool;

/** Processes that this one has started and that were not seen to end. */
function children(): string[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
    .filter((pid) => pid !== "");
}

function processesIn(folder: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === folder;
    } catch {
      return false;
    }
  });
}

describe.runIf(SEALABLE)("a host that was launched ahead", () => {
  const pools: ToolPool[] = [];
  afterEach(async () => {
    await Promise.all(pools.splice(0).map((pool) => pool.close()));
    expect(
      await eventually(
        () => children(),
        (pids) => pids.length === 0,
      ),
    ).toEqual([]);
  });

  function setUp(change: Partial<ToolPoolOptions> = {}): { pool: ToolPool; host: string | undefined } {
    const root = tempWorkspace();
    const firstHost = new HostAhead({ root, seal: "try" });
    const [host] = children();
    const pool = new ToolPool({ root, seal: "try", isolation: "process", firstHost, ...change });
    pools.push(pool);
    writeFileSync(join(pool.root, "a.txt"), "this is a\n");
    return { pool, host };
  }

  async function read(pool: ToolPool): Promise<unknown> {
    return pool.run(readFile, { path: "a.txt" }, { signal: new AbortController().signal, timeoutMs: 10_000 });
  }

  test("attacks its own seal and serves the pool's calls, when it is for the same workspace", async () => {
    const { pool, host } = setUp();
    expect(await pool.check()).toMatchObject({ state: "held", escaped: [] });
    expect(children()).toEqual([host]);
    expect(await read(pool)).toMatchObject({ kind: "reply", isolation: "process", seal: "held" });
    expect(children()).toContain(host);
  });

  test.each<[string, () => Partial<ToolPoolOptions>]>([
    ["the run has another workspace", () => ({ root: tempWorkspace() })],
    ["the run requires the seal", () => ({ seal: "require" })],
  ])("is ended when %s, and one of its own is started", async (_why, change) => {
    const { pool, host } = setUp(change());
    expect(await pool.check()).toMatchObject({ state: "held" });
    expect(await eventually(children, (pids) => !pids.includes(host ?? ""))).not.toContain(host);
    expect(await read(pool)).toMatchObject({ kind: "reply", seal: "held" });
  });

  test("that has died meanwhile is replaced", async () => {
    const { pool, host } = setUp();
    process.kill(Number(host), "SIGKILL");
    expect(await pool.check()).toMatchObject({ state: "held" });
    expect(await read(pool)).toMatchObject({ kind: "reply" });
  });

  test("ends with the pool that did not use it, at whatever point of its start it was", async () => {
    for (let wait = 0; wait < 200; wait += 25) {
      const { pool } = setUp();
      await sleep(wait);
      await pool.close();
      expect({ wait, left: children() }).toEqual({ wait, left: [] });
    }
  });

  test("ends with the pool that was about to use it", async () => {
    for (let wait = 0; wait < 200; wait += 25) {
      const { pool } = setUp();
      void pool.check();
      await sleep(wait);
      await pool.close();
      // Told to end; a busy kernel may need a moment for it.
      const left = await eventually(children, (pids) => pids.length === 0);
      expect({ wait, left }).toEqual({ wait, left: [] });
    }
  });

  test("ends with a command that is killed, at whatever point of its start it was", async () => {
    for (let wait = 0; wait < 320; wait += 40) {
      const folder = tempFolder();
      const run = startCli(["run", "--isolation", "process", "--goal", "list the files"], { cwd: folder });
      await sleep(wait);
      run.child.kill("SIGKILL");
      const there = await eventually(
        () => processesIn(folder),
        (pids) => pids.length === 0,
      );
      expect({ wait, there }).toEqual({ wait, there: [] });
    }
  });

  test.each([
    ["an unknown flag", ["--no-such-flag"], 2],
    ["a goal that is empty", ["--goal", ""], 42],
  ])("ends with a command that comes to no run, for %s, and leaves no canary", async (_why, flags, code) => {
    const folder = tempFolder();
    const place = tempFolder();
    const run = startCli(["run", "--isolation", "process", ...flags], {
      cwd: folder,
      env: { TMPDIR: place },
    });
    const outcome = await run.done;
    expect({ code: outcome.code, left: readdirSync(place) }).toEqual({ code, left: [] });
  });
});

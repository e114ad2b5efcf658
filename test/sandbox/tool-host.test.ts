import { closeSync, openSync, readdirSync, readFileSync, readSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { endOf } from "../../src/sandbox/run-in-cell.ts";
import { CallDeadline } from "../../src/sandbox/call-deadline.ts";
import { HostCell } from "../../src/sandbox/host/host-cell.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { ALLOW_ALL } from "../support/pool-calls.ts";
import { eventually } from "../support/processes.ts";
import { makeWorkspace } from "../support/run-agent.ts";

/** Processes that this one has started and that are still there. */
function children(): number[] {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
    .filter((pid) => pid !== "")
    .map(Number);
}

function setUp(tools: ModuleTool[], options: Partial<ConstructorParameters<typeof ToolPool>[0]> = {}) {
  const pool = new ToolPool({
    root: makeWorkspace({ "a.txt": "a" }),
    seal: "try",
    isolation: "process",
    ...options,
  });
  onTestFinished(() => pool.close());
  const registry = new ToolRegistry(tools);
  const call = (name: string, input: unknown = {}, timeoutMs = 5_000) =>
    invokeTool(
      { id: "call", name, input },
      { registry, pool, policy: ALLOW_ALL, signal: new AbortController().signal, timeoutMs },
    );
  return { pool, call };
}

const echo = () => new ModuleTool("echo");

describe.runIf(SEALABLE)("a tool host", () => {
  const KEY = `sk-planted-${"7".repeat(40)}`;
  afterEach(() => delete process.env["RUIZN_TEST_PLANTED"]);

  it("has an empty environment, and the key is nowhere in its memory", async () => {
    process.env["RUIZN_TEST_PLANTED"] = KEY;
    const before = children();
    const { call } = setUp([echo()]);
    expect((await call("echo", { x: 1 })).errorType).toBeNull();
    const hosts = children().filter((pid) => !before.includes(pid));
    expect(hosts.length).toBeGreaterThan(0);
    for (const pid of hosts) {
      expect(readFileSync(`/proc/${pid}/environ`, "latin1")).toBe("");
      expect(memoryHolds(pid, KEY)).toBe(false);
    }
    // The search does find what is there.
    expect(memoryHolds(process.pid, KEY)).toBe(true);
  });

  it("is sealed in each of its threads, libuv's among them", async () => {
    const before = children();
    const { pool } = setUp([]);
    // No call yet, so no spare that is still on its way to its seal.
    await pool.check();
    const threads = children()
      .filter((pid) => !before.includes(pid))
      .map((pid) => threadsOf(pid));
    expect(threads).toHaveLength(1);
    // Itself, the first tool's thread, Node's four and libuv's four.
    expect(threads[0]?.length).toBeGreaterThanOrEqual(10);
    expect([...new Set(threads[0])]).toEqual(["2 1"]);
  });

  it("has a spare that is ready, so that the next call does not wait for a process to start", async () => {
    const { call } = setUp([echo(), new ModuleTool("exit")]);
    await call("echo");
    expect((await call("exit")).errorType).toBe("worker_crash");
    const startedAt = performance.now();
    expect((await call("echo")).errorType).toBeNull();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it("that is killed or stopped from outside is one failed call within the deadline", async () => {
    const { call } = setUp([new ModuleTool("never-settles"), echo()]);
    await call("echo");
    for (const [signal, expected] of [
      ["SIGKILL", "worker_crash"],
      ["SIGSTOP", "timeout"],
    ] as const) {
      const before = children();
      const running = call("never-settles", {}, 1_500);
      await eventually(
        () => runningHost(before),
        (pid) => pid !== undefined,
      );
      const hit = children();
      for (const pid of hit) process.kill(pid, signal);
      const result = await running;
      expect({ signal, type: result.errorType }).toEqual({ signal, type: expected });
      expect(result.durationMs).toBeLessThan(2_500);
      // The spare was hit as well: at most one more call is in vain, and each ends in time.
      const next = [await call("echo", {}, 1_500), await call("echo", {}, 10_000)];
      expect([null, expected]).toContain(next[0]?.errorType);
      expect(next[1]?.errorType).toBeNull();
    }
  });

  it("serves the next call after one that opened every descriptor there is", async () => {
    const { call } = setUp([new ModuleTool("descriptors"), echo()]);
    for (let times = 0; times < 12; times++) {
      const { errorType } = await call("descriptors");
      expect([errorType, (await call("echo")).errorType]).toEqual(["runtime_error", null]);
    }
  });

  it("leaves no process when the pool is closed", async () => {
    const before = children();
    const { pool, call } = setUp([echo()]);
    await call("echo");
    expect(children().length).toBeGreaterThan(before.length);
    await pool.close();
    expect(
      await eventually(
        () => children().filter((pid) => !before.includes(pid)),
        (left) => left.length === 0,
      ),
    ).toEqual([]);
  });
});

/** Of each thread: the mode of seccomp (2: filtered), and no_new_privs. */
function threadsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).map((task) => {
    const status = readFileSync(`/proc/${pid}/task/${task}/status`, "utf8");
    const field = (name: string) => new RegExp(`^${name}:\\s+(\\d)`, "m").exec(status)?.[1];
    return `${field("Seccomp")} ${field("NoNewPrivs")}`;
  });
}

function runningHost(before: readonly number[]): number | undefined {
  return children().find((pid) => before.includes(pid) || before.length === 0) ?? children()[0];
}

/** Looks through all memory of a process that can be read. */
function memoryHolds(pid: number, text: string): boolean {
  const needle = Buffer.from(text);
  const fd = openSync(`/proc/${pid}/mem`, "r");
  try {
    const chunk = Buffer.alloc(1 << 20);
    for (const line of readFileSync(`/proc/${pid}/maps`, "utf8").split("\n")) {
      const [, from, to] = /^([0-9a-f]+)-([0-9a-f]+) r[w-]/.exec(line) ?? [];
      if (from === undefined || to === undefined || /\[v(var|syscall)/.test(line)) continue;
      const end = Number.parseInt(to, 16);
      for (let at = Number.parseInt(from, 16); at < end; at += chunk.length - needle.length) {
        const length = Math.min(chunk.length, end - at);
        if (length <= 0) break;
        if (chunk.subarray(0, readAt(fd, chunk, length, at)).includes(needle)) return true;
        if (length < chunk.length) break;
      }
    }
    return false;
  } finally {
    closeSync(fd);
  }
}

function readAt(fd: number, chunk: Buffer, length: number, at: number): number {
  try {
    return readSync(fd, chunk, 0, length, at);
  } catch {
    return 0;
  }
}

describe("a host that lies", () => {
  const LYING = fileURLToPath(new URL("../fixtures/lying-host.cjs", import.meta.url));
  const worker = (root: string) => ({ root, profile: "read" as const, seal: "off" as const, readPaths: [] });

  async function start(lie: string): Promise<HostCell> {
    const root = makeWorkspace();
    writeFileSync(join(root, "lie"), lie);
    const cell = await HostCell.start(
      { worker: worker(root), sharedThread: false, entry: LYING },
      new AbortController().signal,
    );
    onTestFinished(() => cell.retire());
    return cell;
  }

  async function outcome(cell: HostCell) {
    const call = new CallDeadline({ signal: new AbortController().signal, timeoutMs: 700 });
    const task = { nonce: "1".repeat(32), body: "x", input: {}, remainingMs: 700 };
    try {
      return { reply: await cell.run(task, call.signal, { onFlood() {} }) };
    } catch (error) {
      return { ended: endOf(call, error).errorType };
    } finally {
      call.clear();
    }
  }

  it("is told from an honest one", async () => {
    const cell = await start("an honest host");
    expect(await outcome(cell)).toEqual({ reply: { head: expect.stringContaining("honest") } });
    expect(cell.usable).toBe(true);
  });

  it.each([
    "bytes that are no frame",
    "a reply to another call",
    "a second ready",
    "a failure with other fields",
    "notes without end",
    "a note of another call",
    "an end of its own",
    "a closed pipe",
  ])("%s: one failed call, and the host is gone", async (lie) => {
    const cell = await start(lie);
    expect(await outcome(cell)).toEqual({ ended: "worker_crash" });
    expect(cell.usable).toBe(false);
  });

  it("no answer: the deadline, and the host is gone soon after", async () => {
    const cell = await start("no answer");
    expect(await outcome(cell)).toEqual({ ended: "timeout" });
    expect(
      await eventually(
        () => cell.usable,
        (usable) => !usable,
      ),
    ).toBe(false);
  });

  it.each(["two replies", "idle with a wrong secret"])(
    "%s: the reply counts, the host does not live on",
    async (lie) => {
      const cell = await start(lie);
      expect(await outcome(cell)).toHaveProperty("reply");
      expect(
        await eventually(
          () => cell.usable,
          (usable) => !usable,
        ),
      ).toBe(false);
    },
  );

  it.each(["a reply without the nonce", "a reply that is not JSON"])(
    "%s: carried as it came, for the re-check to refuse",
    async (lie) => {
      expect(await outcome(await start(lie))).toHaveProperty("reply");
    },
  );

  it("ready with a wrong secret: it does not start", async () => {
    await expect(start("ready with a wrong secret")).rejects.toThrow("the tool host did not start");
  });
});

import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { ToolPool, type PoolOutcome, type ToolPoolOptions } from "../../src/sandbox/tool-pool.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { eventually, processesWith, threadCount } from "../support/processes.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const never = new AbortController().signal;

describe.each(["thread", "process"] as const)("in a %s", (isolation) => {
  function pool(options: Partial<ToolPoolOptions> = {}): ToolPool {
    const made = new ToolPool({ root: tempWorkspace(), seal: "off", isolation, ...options });
    onTestFinished(() => made.close());
    return made;
  }

  function run(on: ToolPool, name: string, input: unknown = {}, timeoutMs = 20_000): Promise<PoolOutcome> {
    return on.run(new ModuleTool(name), input, { signal: never, timeoutMs });
  }

  function failure(outcome: PoolOutcome): { errorType: string; message: string } {
    if (outcome.kind === "reply") throw new Error(`came back: ${JSON.stringify(outcome.reply)}`);
    return { errorType: outcome.errorType, message: outcome.message };
  }

  function head(outcome: PoolOutcome): Record<string, unknown> {
    if (outcome.kind !== "reply") throw new Error(`failed: ${outcome.errorType}: ${outcome.message}`);
    const { nonce, evidence: _, ...rest } = JSON.parse((outcome.reply as { head: string }).head);
    expect(nonce).toBe(outcome.nonce);
    return rest;
  }

  async function expectNextCallWorks(on: ToolPool): Promise<void> {
    expect(head(await run(on, "echo", { next: true }))).toEqual({
      ok: true,
      content: [{ type: "text", text: '{"next":true}' }],
      data: {},
    });
  }

  describe("a call that does not come back", () => {
    test.each(["loop", "atomics-wait", "regex", "never-settles"])("%s ends as timeout", async (name) => {
      const tools = pool();
      expect(failure(await run(tools, name, {}, 2_500))).toEqual({
        errorType: "timeout",
        message:
          "still running after 2500 ms and stopped; ask for less (a smaller range, a narrower path or pattern) or try once more",
      });
      await expectNextCallWorks(tools);
    });

    test.runIf(process.platform === "linux")(
      "none of its threads is left when the pool is closed",
      async () => {
        const warmUp = pool();
        await warmUp.check();
        await warmUp.close();
        const before = threadCount();
        const tools = pool();
        const names = ["loop", "atomics-wait", "regex", "never-settles"];
        const ends = await Promise.all(names.map((name) => run(tools, name, {}, 2_500)));
        expect(ends.map((end) => failure(end).errorType)).toEqual([
          "timeout",
          "timeout",
          "timeout",
          "timeout",
        ]);
        await tools.close();
        expect(await eventually(threadCount, (count) => count <= before)).toBeLessThanOrEqual(before);
      },
    );

    test("a call that waits for a free worker is told so", async () => {
      const tools = pool({ maxThreads: 1 });
      await tools.check();
      const first = run(tools, "never-settles");
      expect(failure(await run(tools, "echo", {}, 300))).toEqual({
        errorType: "timeout",
        message:
          "no worker was free within 300 ms, so the call never began; make fewer calls at once or try again",
      });
      await tools.close();
      expect(failure(await first).errorType).toBe("cancelled");
    });

    test("cancelling the run ends the call as cancelled", async () => {
      const tools = pool();
      const abort = new AbortController();
      const call = tools.run(new ModuleTool("loop"), {}, { signal: abort.signal, timeoutMs: 20_000 });
      setTimeout(() => abort.abort(), 100);
      expect(failure(await call)).toEqual({
        errorType: "cancelled",
        message: "the run was cancelled before the call finished",
      });
      await expectNextCallWorks(tools);
    });

    test("closing the pool ends the call and every later one", async () => {
      const tools = pool();
      await tools.check();
      const call = run(tools, "loop");
      await sleep(50);
      await tools.close();
      expect(failure(await call).errorType).toBe("cancelled");
      expect(failure(await run(tools, "echo")).errorType).toBe("cancelled");
      await tools.close();
    });
  });

  describe("a worker that dies", () => {
    test("process.exit in a tool is a crash of that call alone", async () => {
      const tools = pool();
      expect(failure(await run(tools, "exit"))).toEqual({
        errorType: "worker_crash",
        message: "the tool's worker died: worker exited with code: 7; do not call it the same way again",
      });
      await expectNextCallWorks(tools);
    });

    test("an unhandled rejection is a crash of that call alone", async () => {
      const tools = pool();
      expect(failure(await run(tools, "unhandled-rejection"))).toEqual({
        errorType: "worker_crash",
        message: "the tool's worker died: nobody handles this; do not call it the same way again",
      });
      await expectNextCallWorks(tools);
    });

    test("a throw after the result reaches no later call", async () => {
      const tools = pool({ maxThreads: 1 });
      for (let call = 0; call < 5; call++) {
        expect(head(await run(tools, "late-throw"))).toEqual({
          ok: true,
          content: [{ type: "text", text: "done" }],
          data: {},
        });
        await sleep(15);
      }
      await expectNextCallWorks(tools);
    });

    test("a heap that is full is a memory limit", async () => {
      const tools = pool();
      expect(failure(await run(tools, "heap-objects"))).toEqual({
        errorType: "memory_limit",
        message: "the tool used up its heap of 256 MB and was stopped; ask for less at once",
      });
      await expectNextCallWorks(tools);
    });

    test("array buffers, which no heap limit counts, are a memory limit too", async () => {
      const tools = pool();
      const { errorType, message } = failure(await run(tools, "array-buffers"));
      expect(errorType).toBe("memory_limit");
      expect(message).toMatch(
        /^memory grew by \d+ MB during the call \(limit 384 MB\) and the tool was stopped/,
      );
      await expectNextCallWorks(tools);
    });

    test("a flood of messages ends the worker that sends it", async () => {
      const tools = pool();
      expect(failure(await run(tools, "flood"))).toEqual({
        errorType: "worker_crash",
        message:
          "the tool sent 64 messages besides its result and was stopped; do not call it the same way again",
      });
      await expectNextCallWorks(tools);
    });
  });

  describe("a result that is not what it should be", () => {
    test("one of 300 MB is refused in the worker", async () => {
      const tools = pool();
      expect(head(await run(tools, "huge-result"))).toEqual({
        ok: false,
        error_type: "output_limit",
        message: "the result is too large: its content as JSON is over 1048576 bytes; ask for less",
        data: {},
      });
    });

    test("one with a cycle, functions and symbols is refused", async () => {
      const tools = pool();
      expect(head(await run(tools, "unclonable-result"))).toEqual({
        ok: false,
        error_type: "output_limit",
        message: "the result is too large: nested more than 32 levels deep; ask for less",
        data: {},
      });
    });

    test("one with a changing getter and an endless proxy is refused", async () => {
      const tools = pool();
      expect(head(await run(tools, "getter-result"))).toMatchObject({
        ok: false,
        error_type: "output_limit",
      });
    });

    test("a reply that the tool forged carries no nonce of ours", async () => {
      const tools = pool();
      const outcome = await run(tools, "forged-reply", {}, 5_000);
      if (outcome.kind === "reply") expect(JSON.stringify(outcome.reply)).not.toContain(outcome.nonce);
      else expect(outcome.errorType).toMatch(/^(worker_crash|timeout)$/);
      await expectNextCallWorks(tools);
    });
  });

  describe("what a call left behind", () => {
    test("a nested worker is gone with the call", async () => {
      const root = tempWorkspace();
      const tools = pool({ root });
      const file = join(root, "beat");
      expect(head(await run(tools, "nested-worker", { file }))).toMatchObject({ ok: true });
      await sleep(100);
      const { size } = statSync(file);
      expect(size).toBeGreaterThan(0);
      await sleep(100);
      expect(statSync(file).size).toBe(size);
    });

    test.runIf(process.platform === "linux")(
      "a process of its own session is gone with the call",
      async () => {
        const tools = pool();
        const { data } = head(await run(tools, "child-process")) as { data: { pid: number } };
        expect(data.pid).toBeGreaterThan(0);
        expect(
          await eventually(
            () => processesWith("sleep", "30017"),
            (left) => left.length === 0,
          ),
        ).toEqual([]);
        expect(
          await eventually(
            () => processesWith("sleep 30017 & wait"),
            (left) => left.length === 0,
          ),
        ).toEqual([]);
      },
    );

    test.runIf(process.platform === "linux")(
      "a process that the thread waits for is killed at the deadline",
      async () => {
        const tools = pool();
        expect(failure(await run(tools, "exec-sync", {}, 2_500)).errorType).toBe("timeout");
        expect(
          await eventually(
            () => processesWith("sleep", "30018"),
            (left) => left.length === 0,
          ),
        ).toEqual([]);
        await expectNextCallWorks(tools);
      },
    );
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JSONSchema } from "json-schema-to-ts";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Policy } from "../../src/policy/policy.ts";
import { ToolPool, type ToolPoolOptions } from "../../src/sandbox/tool-pool.ts";
import type { PathUse } from "../../src/tools/base-tool.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const ALLOW: Policy = { decide: () => ({ allowed: true }) };

function moduleTool(name: string): ModuleTool {
  return new ModuleTool(name, { module: new URL(`../fixtures/modules/${name}.js`, import.meta.url).href });
}

class ReadText extends ModuleTool {
  override readonly inputSchema = {
    type: "object",
    properties: { path: { type: "string" } },
    required: ["path"],
    additionalProperties: false,
  } as const satisfies JSONSchema;

  constructor() {
    super("read-text", { module: new URL("../fixtures/modules/read-text.js", import.meta.url).href });
  }

  override paths(input: unknown): PathUse[] {
    return [{ path: (input as { path: string }).path, access: "read" }];
  }
}

/** Without what differs from run to run. */
function stable(result: ToolResult): Omit<ToolResult, "durationMs"> {
  const { durationMs, ...rest } = result;
  expect(durationMs).toBeGreaterThanOrEqual(0);
  return rest;
}

/** The content as one text; of a failure the message, which must stand behind its type. */
function textOf({ content, errorType }: ToolResult): string {
  const text = content.map((block) => (block.type === "text" ? block.text : `<${block.type}>`)).join("|");
  if (errorType === null) return text;
  expect(text.startsWith(`${errorType}: `)).toBe(true);
  return text.slice(errorType.length + 2);
}

describe.each(["thread", "process"] as const)("in a %s", (isolation) => {
  /** A pool with a workspace that holds a.txt, and a way to call tools in it. */
  function setUp(options: Partial<ToolPoolOptions> & { policy?: Policy } = {}) {
    const root = options.root ?? tempWorkspace();
    writeFileSync(join(root, "a.txt"), "first line\n");
    const pool = new ToolPool({ seal: "try", isolation, ...options, root });
    onTestFinished(() => pool.close());
    const tools = [new ReadText(), ...["blocks", "fail", "context", "no-default"].map(moduleTool)];
    const registry = new ToolRegistry([...tools, new ModuleTool("loop"), new ModuleTool("forged-reply")]);
    const { signal } = new AbortController();
    const call = (name: string, input: unknown, timeoutMs?: number): Promise<ToolResult> =>
      invokeTool(
        { id: "toolu_1", name, input },
        { registry, pool, policy: options.policy ?? ALLOW, signal, ...(timeoutMs && { timeoutMs }) },
      );
    return { pool, root, call };
  }

  describe("a call that works", () => {
    test("gives the tool's content and data, and says where it ran", async () => {
      const { pool, call } = setUp();
      const { state } = await pool.check();
      expect(stable(await call("read-text", { path: "a.txt" }))).toEqual({
        callId: "toolu_1",
        toolName: "read-text",
        isError: false,
        errorType: null,
        content: [{ type: "text", text: "first line\n" }],
        data: { bytes_total: 11 },
        bytesShown: 11,
        bytesTotal: 11,
        truncated: false,
        isolation,
        seal: state,
      });
    });

    test("keeps several blocks in order, long and short, inline and moved", async () => {
      const { call } = setUp();
      const long = "ünïcödé ".repeat(20_000);
      const content = ["short", long, "", "x".repeat(3_000)].map((text) => ({ type: "text", text }));
      const result = await call("blocks", { content, data: { truncated: true } });
      expect(textOf(result)).toBe(`short|${long}|${"x".repeat(3_000)}`);
      expect(result.bytesShown).toBe(5 + Buffer.byteLength(long) + 3_000);
      expect(result.truncated).toBe(true);
    });

    test("says in words that there is nothing to show", async () => {
      const { call } = setUp();
      expect(textOf(await call("blocks", { content: [{ type: "text", text: "" }] }))).toBe(
        "(the result is empty)",
      );
      expect(textOf(await call("blocks", { content: [] }))).toBe("(the result is empty)");
    });

    test("mends text with lone surrogates", async () => {
      const { call } = setUp();
      const content = [{ type: "text", text: "a\ud800b" }];
      expect(textOf(await call("blocks", { content, data: { "\ud800": "\udc00" } }))).toBe("a\ufffdb");
    });

    test("gets a worker that no call has touched, without environment and arguments", async () => {
      const { call } = setUp();
      const first = (await call("context", {})).data;
      const second = (await call("context", {})).data;
      const { thread, execArgv, ...rest } = first;
      // In a tool host Node's flags hold for its threads too: its permission model is among them.
      expect((execArgv as string[]).some((flag) => flag.endsWith("permission"))).toBe(
        isolation === "process",
      );
      expect(rest).toEqual({
        env: 0,
        argv: 2,
        seen: 1,
        context: ["signal", "workspace"],
        aborted: false,
        nonce: false,
      });
      // The first host may read the canary of the self-check as well.
      expect(second).toEqual({ ...first, thread: second["thread"], execArgv: second["execArgv"] });
      // Threads of two hosts may have the same number.
      if (isolation === "thread") expect(second["thread"]).not.toBe(thread);
    });
  });

  describe("a call that is refused before any worker sees it", () => {
    const refused = { isError: true, data: {}, isolation: "none", seal: "none", truncated: false };

    test("unknown tool: told which there are", async () => {
      const { call } = setUp();
      expect(stable(await call("no_such", {}))).toMatchObject({ ...refused, errorType: "unknown_tool" });
      expect(textOf(await call("no_such", {}))).toBe(
        'there is no tool named "no_such"; the tools of this run are: read-text, blocks, fail, context, no-default, loop, forged-reply',
      );
    });

    test.each([
      [{}, "the input must have required property 'path'; got {}"],
      [{ path: 7 }, "path must be string; got 7"],
      [
        { path: "a", mode: "x" },
        'the input must NOT have additional properties (mode); got {"path":"a","mode":"x"}',
      ],
      [undefined, "the input must be object; got null"],
    ])("invalid input %j: told field, rule and value", async (input, problem) => {
      const { call } = setUp();
      const result = await call("read-text", input);
      expect(stable(result)).toMatchObject({ ...refused, errorType: "invalid_input" });
      expect(textOf(result)).toBe(`read-text: ${problem}; correct it and call again`);
    });

    test("an input over 1 MiB", async () => {
      const { call } = setUp();
      const result = await call("blocks", { text: "x".repeat(1_048_576) });
      expect(stable(result)).toMatchObject({ ...refused, errorType: "invalid_input" });
      expect(textOf(result)).toBe(
        "blocks: the input is 1048587 bytes, limit 1048576; correct it and call again",
      );
    });

    test("what the policy denies", async () => {
      const policy: Policy = { decide: () => ({ allowed: false, reason: "read-only run" }) };
      const result = await setUp({ policy }).call("blocks", {});
      expect(stable(result)).toMatchObject({ ...refused, errorType: "permission_error" });
      expect(textOf(result)).toBe(
        "blocks is not allowed here: read-only run; do it another way or say that you cannot",
      );
    });

    test("what the policy throws at: not judged is not run", async () => {
      const policy: Policy = {
        decide: () => {
          throw new Error("no rules");
        },
      };
      const result = await setUp({ policy }).call("blocks", {});
      expect(stable(result)).toMatchObject({ ...refused, errorType: "runtime_error" });
      expect(textOf(result)).toBe("the call could not be judged and was not made: no rules");
    });

    test.each(["../a.txt", "/etc/passwd", "a/../../b"])(
      "the path %s, by the guard in the main thread",
      async (path) => {
        const { call } = setUp();
        const result = await call("read-text", { path });
        expect(stable(result)).toMatchObject({ ...refused, errorType: "permission_error" });
        expect(textOf(result)).toMatch(/^read-text: /);
      },
    );
  });

  describe("a call that fails in the worker", () => {
    test.each([
      [
        "failure",
        "not_found",
        'fail: "b.txt" does not exist; list the folder to see what does',
        { looked_in: "notes" },
      ],
      ["error", "runtime_error", "fail: the tool failed: TypeError: x is not a function", {}],
      ["undefined", "runtime_error", "fail: the tool failed: undefined", {}],
      [
        "no result",
        "runtime_error",
        'fail: the tool failed: TypeError: the result has no "content" array',
        {},
      ],
    ])("%s", async (how, errorType, text, data) => {
      const result = await setUp().call("fail", { how });
      expect(result).toMatchObject({ isError: true, errorType, data, isolation });
      expect(textOf(result)).toBe(text);
    });

    test("a module without a function", async () => {
      const result = await setUp().call("no-default", {});
      expect(result.errorType).toBe("runtime_error");
      expect(textOf(result)).toMatch(/has no function as its default export$/);
    });

    test("a path that the main thread let pass is judged again in the worker", async () => {
      const { call } = setUp({ switches: { mainGuard: "off" } });
      const result = await call("read-text", { path: "../outside.txt" });
      expect(result).toMatchObject({ errorType: "permission_error", isolation });
    });

    test("the deadline of the call stands over the tool's own", async () => {
      const result = await setUp().call("loop", {}, 3_000);
      expect(result).toMatchObject({ errorType: "timeout", isolation });
      expect(textOf(result)).toMatch(/^loop: still running after 3000 ms and stopped; /);
    });

    test("a forged reply is thrown away with its worker", async () => {
      const { call } = setUp();
      const result = await call("forged-reply", {}, 5_000);
      expect(result.isError).toBe(true);
      expect(textOf(result)).not.toContain('forged"');
      expect(["result_rejected", "worker_crash"]).toContain(result.errorType);
      if (result.errorType === "result_rejected") {
        expect(result.violation).toEqual({
          check: "nonce",
          detail: "the reply does not carry the call's nonce",
        });
      }
      expect((await call("context", {})).isError).toBe(false);
    });
  });

  test("many calls at once all come back, each with its own answer", async () => {
    const { call } = setUp();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call("blocks", { content: [{ type: "text", text: `call ${i}` }] }),
      ),
    );
    expect(results.map(textOf)).toEqual(Array.from({ length: 20 }, (_, i) => `call ${i}`));
  });
});

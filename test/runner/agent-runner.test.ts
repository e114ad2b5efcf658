import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { RunEvent } from "../../src/events/run-event.ts";
import { AgentRunner } from "../../src/runner/agent-runner.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { apiError, text, toolUse } from "../../src/testing.ts";
import { OfflineProvider } from "../../src/provider/offline/offline-provider.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { ALLOW_ALL, makeWorkspace, runAgent } from "../support/run-agent.ts";

const pairs = (events: { type: string }[], name: string) =>
  [`${name}.started`, `${name}.finished`].map((type) => events.filter((event) => event.type === type).length);

describe("a run's log", () => {
  it("tells the whole run in order, without gaps, and ends with run.finished", async () => {
    const { events } = await runAgent([toolUse("read_file", { path: "a.txt" }), text("alpha")], {
      files: { "a.txt": "alpha\n" },
      tools: readTools(),
    });
    expect(events.map(({ type }) => type)).toEqual([
      "run.started",
      "step.started",
      "llm.request",
      "llm.response",
      "tool_call.started",
      "tool_call.finished",
      "step.finished",
      "step.started",
      "llm.request",
      "llm.token",
      "llm.response",
      "step.finished",
      "run.finished",
    ]);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  });

  it("begins with every limit the run is held to and the prices its cost is counted by", async () => {
    const price = { input: 1, output: 5, cacheWrite: 1, cacheRead: 0 };
    const budget = { usd: 2, toolCalls: 7 };
    const [known, unknown] = await Promise.all([
      runAgent([text("done")], {
        budget,
        prices: { "claude-test": price },
        maxSteps: 3,
        runTimeoutMs: 60_000,
      }),
      runAgent([text("done")]),
    ]);
    const limits = { max_tokens: 16_384, tool_timeout_ms: 10_000 };
    expect(known.events[0]).toMatchObject({
      limits: { ...limits, max_steps: 3, run_timeout_ms: 60_000, ...budget },
      price_table: "own",
    });
    expect(unknown.events[0]).toMatchObject({ limits: { ...limits, max_steps: 50 }, price_table: null });
  });

  it("closes everything that was started when the provider fails", async () => {
    const { events, result } = await runAgent(() => apiError(401));
    expect(result).toMatchObject({ isError: true, errors: [{ code: "auth_failed" }] });
    expect(pairs(events, "run")).toEqual([1, 1]);
    expect(pairs(events, "step")).toEqual([1, 1]);
    expect(events.at(-1)?.type).toBe("run.finished");
  });
});

describe("an abort", () => {
  it("during a tool call answers the call, ends the run as aborted and leaves nothing running", async () => {
    const abort = new AbortController();
    const onEvent = ({ event }: { event: RunEvent }) => {
      if (event.type === "tool_call.started") setTimeout(() => abort.abort("SIGINT"), 50);
    };
    const { events, result } = await runAgent([toolUse("loop", {})], {
      tools: [new ModuleTool("loop")],
      signal: abort.signal,
      subscribers: [{ name: "aborter", onEvent }],
    });
    expect(result).toMatchObject({ subtype: "error_aborted", terminalReason: "aborted", signal: "SIGINT" });
    expect(events.find(({ type }) => type === "tool_call.finished")).toMatchObject({
      error_type: "cancelled",
    });
    expect(events.at(-1)).toMatchObject({ type: "run.finished", status: "aborted", signal: "SIGINT" });
  });

  it("during a stream keeps what was said", async () => {
    const abort = new AbortController();
    const onEvent = ({ event }: { event: RunEvent }) => {
      if (event.type === "llm.token") abort.abort("SIGTERM");
    };
    const { events, result } = await runAgent([text("a long answer ".repeat(200), { eventDelayMs: 5 })], {
      signal: abort.signal,
      subscribers: [{ name: "aborter", onEvent }],
    });
    expect(result).toMatchObject({ terminalReason: "aborted", signal: "SIGTERM" });
    expect(result.result).toMatch(/^a long/);
    expect(pairs(events, "step")).toEqual([1, 1]);
  });

  it("before the run begins still leaves a whole log", async () => {
    const { events, result } = await runAgent([text("never asked")], { signal: AbortSignal.abort("SIGINT") });
    expect(result.terminalReason).toBe("aborted");
    expect(events.map(({ type }) => type)).toEqual(["run.started", "run.finished"]);
  });
});

it("ends at the run's time limit", async () => {
  const { result } = await runAgent([toolUse("loop", {})], {
    tools: [new ModuleTool("loop")],
    runTimeoutMs: 700,
  });
  expect(result).toMatchObject({ subtype: "error_timeout", terminalReason: "timeout" });
});

it("goes on without a subscriber that throws, and says so once", async () => {
  const { events, result } = await runAgent([text("Fine.")], {
    subscribers: [
      {
        name: "broken",
        onEvent: () => {
          throw new Error("boom");
        },
      },
    ],
  });
  expect(result.subtype).toBe("success");
  expect(events.filter(({ type }) => type === "subscriber.dropped")).toMatchObject([
    { subscriber: "broken", message: "boom" },
  ]);
});

it("ends though a subscriber never settles, with a whole log and the others told of the end", async () => {
  const seen: string[] = [];
  const startedAt = performance.now();
  const { events, result } = await runAgent([text("Fine.")], {
    subscribers: [
      { name: "stuck", onEvent: () => new Promise(() => {}) },
      { name: "other", onEvent: ({ event }) => void seen.push(event.type) },
    ],
  });
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(`a run with a subscriber that never settles: ${seconds.toFixed(1)} s`);
  // Five seconds is what a subscriber gets for what it was told.
  expect(seconds).toBeLessThan(20);
  expect(result.subtype).toBe("success");
  expect([seen.at(-1), events.at(-1)?.type]).toEqual(["run.finished", "run.finished"]);
});

it("keeps no log when told so", async () => {
  const workspace = makeWorkspace({ "a.txt": "alpha\n" });
  const runner = new AgentRunner({
    goal: "read a.txt",
    workspace,
    provider: new OfflineProvider(),
    tools: readTools(),
    policy: ALLOW_ALL,
    seal: "try",
    log: false,
  });
  const result = await runner.run();
  expect(result.subtype).toBe("success");
  expect(result.runDir).toBeUndefined();
  expect(readdirSync(workspace)).toEqual(["a.txt"]);
});

it("refuses a workspace that is not there, in one line", () => {
  const options = {
    goal: "x",
    provider: new OfflineProvider(),
    tools: [],
    policy: ALLOW_ALL,
    seal: "try" as const,
    log: false as const,
  };
  expect(existsSync("/no/such/folder")).toBe(false);
  expect(() => new AgentRunner({ ...options, workspace: "/no/such/folder" })).toThrow(
    /^workspace "\/no\/such\/folder" does not exist or can't be opened$/,
  );
});

it("fails a run in which a tool failed only when told to", async () => {
  const script = [toolUse("read_file", { path: "missing" }), text("It is missing.")];
  const lenient = await runAgent(script, { tools: readTools() });
  const strict = await runAgent(script, { tools: readTools(), failOn: new Set(["tool_error"]) });
  expect([lenient.result.subtype, strict.result.subtype]).toEqual(["success", "error_tool_failed"]);
});

it("reports a denied call with its input", async () => {
  const { result } = await runAgent([toolUse("read_file", { path: "a.txt" }), text("Denied.")], {
    files: { "a.txt": "alpha\n" },
    tools: readTools(),
    policy: { decide: () => ({ allowed: false, reason: "not today" }) },
    failOn: new Set(["denied"]),
  });
  expect(result).toMatchObject({
    terminalReason: "permission_denied",
    permissionDenials: [{ tool_name: "read_file", tool_input: { path: "a.txt" } }],
  });
});

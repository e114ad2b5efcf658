import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import { rebuild } from "../../src/log/rebuild.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import type { Message } from "../../src/messages.ts";
import type { RunnerOptions } from "../../src/runner/agent-runner.ts";
import type { RunResult } from "../../src/runner/run-result.ts";
import { type DoubleRequest, type ReplyBlock, text, turn, type TurnReply } from "../../src/testing.ts";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { effort } from "../support/effort.ts";
import { type LoggedEvent, makeWorkspace, runAgent } from "../support/run-agent.ts";

const use = (id: string, name: string, input: unknown): ReplyBlock => ({ type: "tool_use", id, name, input });
const WRITE = { path: "out.txt", content: "written\n", overwrite: true };

const TURNS: readonly TurnReply[] = [
  turn([
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "I look at three things at once." },
    use("t1", "read_file", { path: "a.txt" }),
    use("t2", "read_file", { path: "none.txt" }),
    use("t3", "no_such_tool", {}),
  ]),
  text("The answer begins ", { stopReason: "max_tokens" }),
  turn([use("t4", "read_file", { path: "a.txt" })], { stopReason: "max_tokens" }),
  turn([{ type: "text", text: "wait" }], { stopReason: "pause_turn" }),
  turn([use("t5", "write_file", WRITE), use("t6", "read_file", { path: "big.txt" })]),
  text("All is ", { stopReason: "max_tokens" }),
  text("well.", { chunkChars: 2 }),
];

/** The same answer to the same conversation, however often it is asked for. */
function script(request: DoubleRequest): TurnReply {
  const messages = request.body.messages ?? [];
  const blocks = messages.flatMap(({ role, content }) => (role === "assistant" ? [content] : []));
  const said = JSON.stringify(blocks);
  const marks = ["three things", "answer begins", '"t4"', "wait", '"t5"', "All is"];
  return TURNS[marks.filter((mark) => said.includes(mark)).length] as TurnReply;
}

const FILES = { "a.txt": "alpha\n", "out.txt": "before\n", "big.txt": "0123456789 é\n".repeat(9_000) };
const OPTIONS: Partial<RunnerOptions> = {
  tools: [...readTools(), ...writeTools()],
  seal: "off",
  budget: { totalTokens: 1_000_000, toolCalls: 6, repeatedCalls: 2 },
};

const messagesIn = (runDir: string): readonly Message[] =>
  rebuild(eventsOf(readEvents(runDir))).context.messages;
const lineCount = (bytes: Buffer): number => bytes.filter((byte) => byte === 10).length;

/** The first lines of a log, and a piece of the next. */
function cutAfter(bytes: Buffer, lines: number): Buffer {
  let end = 0;
  for (let line = 0; line < lines; line++) end = bytes.indexOf(10, end) + 1;
  return bytes.subarray(0, Math.min(bytes.length, end + (lines % 3 === 0 ? 17 : 0)));
}

describe("a run whose log breaks off", () => {
  it("after any event goes on to the same conversation, tells everything once and ends with a whole log", async () => {
    const whole = await runAgent(script, { ...OPTIONS, files: FILES });
    expect(whole.result).toMatchObject({
      subtype: "success",
      result: "All is well.",
      numSteps: TURNS.length,
    });
    const { workspace } = whole;
    const runDir = whole.result.runDir ?? "";
    const file = join(runDir, "events.jsonl");
    const [log, said] = [readFileSync(file), messagesIn(runDir)];
    const counts = { cuts: 0, equal: 0, again: 0 };
    for (let lines = 1; lines < lineCount(log); lines += effort(1, 4)) {
      writeFileSync(file, cutAfter(log, lines));
      const resume = { runId: whole.result.runId, repeatWrite: () => Promise.resolve(true) };
      const { result, events, double } = await runAgent(script, {
        ...OPTIONS,
        workspace,
        resume,
      });
      expect(messagesIn(runDir), `cut after ${lines} lines`).toEqual(said);
      expect(double.requests.filter(({ refused }) => refused)).toEqual([]);
      expect(result, `cut after ${lines} lines`).toMatchObject({
        subtype: "success",
        result: whole.result.result,
        numSteps: whole.result.numSteps,
        usage: { output_tokens: whole.result.usage.output_tokens },
        modelUsage: { "claude-test": { output_tokens: whole.result.usage.output_tokens } },
      });
      expect(verifyLog(runDir)).toMatchObject({ whole: true });
      expect(closedTwiceOrNever(events)).toEqual([]);
      expect(events.find(({ resumed_from }) => resumed_from !== undefined)?.["resumed_from"]).toBe(lines);
      counts.cuts += 1;
      counts.equal += 1;
      counts.again += events.filter(({ superseded }) => superseded === true).length;
    }
    expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe(WRITE.content);
    console.log(
      `cuts: ${counts.cuts}; resumed to the same end: ${counts.equal}; calls made again: ${counts.again}`,
    );
  }, 120_000);
});

/** Calls and steps that do not have exactly one end for each start, and calls with more than one answer. */
function closedTwiceOrNever(events: LoggedEvent[]): string[] {
  const keys = events.flatMap(({ type, call_id, step }) =>
    type.startsWith("tool_call.")
      ? [`call ${String(call_id)}`]
      : type.startsWith("step.")
        ? [`step ${String(step)}`]
        : [],
  );
  return [...new Set(keys)].filter((key) => {
    const own = events.filter(
      ({ call_id, step, type }) =>
        key === (type.startsWith("tool_call.") ? `call ${String(call_id)}` : `step ${String(step)}`),
    );
    const of = (suffix: string): number =>
      own.filter(({ type }) => /^(tool_call|step)\./.test(type) && type.endsWith(suffix)).length;
    const answers = own.filter(
      ({ type, superseded }) => type === "tool_call.finished" && superseded !== true,
    ).length;
    return of(".started") !== of(".finished") || (key.startsWith("call") && answers !== 1);
  });
}

describe("a write that was under way", () => {
  /** The log up to where the write has been started. */
  async function brokenOff(): Promise<{ workspace: string; runId: string; result: RunResult; go: Go }> {
    const { workspace, result } = await runAgent(script, { ...OPTIONS, files: FILES });
    const file = join(result.runDir ?? "", "events.jsonl");
    const log = readFileSync(file);
    const lines = log.toString().split("\n");
    const at = lines.findIndex((line) => line.includes('"tool_call.started"') && line.includes('"t5"'));
    writeFileSync(file, `${lines.slice(0, at + 1).join("\n")}\n`);
    writeFileSync(join(workspace, "out.txt"), "in between\n");
    writeFileSync(join(workspace, `.ruizn-${"0".repeat(32)}.tmp`), "half");
    const go: Go = (resume) =>
      runAgent(
        (request) =>
          JSON.stringify(request.body.messages).includes("broke off") ? text("I see.") : script(request),
        {
          ...OPTIONS,
          workspace,
          resume: { runId: result.runId, ...resume },
        } as never,
      );
    return { workspace, runId: result.runId, result, go };
  }
  type Go = (resume: Partial<RunnerOptions["resume"]>) => ReturnType<typeof runAgent>;

  it("is not made again unless somebody says so: the model is told that it may have happened", async () => {
    const { workspace, go } = await brokenOff();
    const { result, events } = await go({});
    expect(result).toMatchObject({ subtype: "success", result: "I see." });
    expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe("in between\n");
    const closed = events.filter(({ call_id }) => call_id === "t5");
    expect(closed).toMatchObject([
      { type: "tool_call.started", read_only: false },
      { type: "tool_call.finished", is_error: true, error_type: "interrupted" },
    ]);
    expect(closed[1]).not.toHaveProperty("superseded");
  });

  it("is made again when somebody says so, and only its second answer counts", async () => {
    const { workspace, go } = await brokenOff();
    const asked: unknown[] = [];
    const { result, events } = await go({
      repeatWrite: (call) => {
        asked.push(call);
        return Promise.resolve(true);
      },
    });
    expect(result.result).toBe("All is well.");
    expect(asked).toEqual([{ type: "tool_use", id: "t5", name: "write_file", input: WRITE }]);
    expect(readFileSync(join(workspace, "out.txt"), "utf8")).toBe(WRITE.content);
    expect(events.filter(({ call_id }) => call_id === "t5")).toMatchObject([
      { type: "tool_call.started" },
      { type: "tool_call.finished", error_type: "interrupted", superseded: true },
      { type: "tool_call.started", attempt: 2 },
      { type: "tool_call.finished", is_error: false },
    ]);
  });

  it("leaves no half-written copy behind", async () => {
    const { workspace, go } = await brokenOff();
    await go({});
    expect(() => readFileSync(join(workspace, `.ruizn-${"0".repeat(32)}.tmp`))).toThrow("ENOENT");
  });
});

describe("a run that is gone on with", () => {
  it("takes a further goal, also after it had come to its end, and not without one", async () => {
    const first = await runAgent([text("One.")], { files: FILES });
    const { workspace } = first;
    const resume = { runId: first.result.runId };
    await expect(runAgent([text("Two.")], { workspace, resume })).rejects.toMatchObject({
      code: "input_invalid",
      message: `run ${first.result.runId} came to its end (completed): there is nothing to go on with`,
    });
    const second = await runAgent([text("Two.")], { workspace, goal: "and more", resume });
    expect(second.result).toMatchObject({ subtype: "success", result: "Two.", numSteps: 2 });
    expect(second.double.requests[0]?.body.messages).toMatchObject([
      { role: "user", content: [{ text: "do it" }] },
      { role: "assistant", content: [{ text: "One." }] },
      { role: "user", content: [{ text: "and more" }] },
    ]);
    expect(second.events.filter(({ type }) => type === "user.text")).toMatchObject([{ text: "and more" }]);
    expect(verifyLog(second.result.runDir ?? "").whole).toBe(true);
  });

  it("keeps its system prompt, and its tools unless told otherwise", async () => {
    const first = await runAgent([text("One.")], {
      tools: [...readTools(), ...writeTools()],
      system: "Be brief.",
    });
    const { workspace } = first;
    const go = (changedTools: boolean) =>
      runAgent([text("Two.")], {
        workspace,
        goal: "more",
        tools: readTools(),
        system: "Be long.",
        resume: { runId: first.result.runId, changedTools },
      });
    await expect(go(false)).rejects.toMatchObject({
      code: "input_invalid",
      message: expect.stringMatching(/^run \S+ had tools that are not offered now: .*write_file/),
    });
    const { double } = await go(true);
    expect(JSON.stringify(double.requests[0]?.body.system)).toContain("Be brief.");
    expect(double.requests[0]?.body.tools?.length).toBe(readTools().length);
  });

  it("counts what it had spent", async () => {
    const first = await runAgent([text("One.")], { files: FILES });
    const { input_tokens, output_tokens } = first.result.usage;
    const { result } = await runAgent([text("Two.")], {
      workspace: first.workspace,
      goal: "more",
      seal: "off",
      budget: { totalTokens: input_tokens + output_tokens + 10 },
      resume: { runId: first.result.runId },
    });
    expect(result).toMatchObject({ subtype: "error_budget_exhausted", terminalReason: "budget_exhausted" });
  });

  it("is refused elsewhere and with another model", async () => {
    const first = await runAgent([text("One.")], { log: { dir: makeWorkspace() } });
    const dir = join(first.result.runDir ?? "", "..");
    const resume = { runId: first.result.runId };
    await expect(
      runAgent([text("Two.")], { workspace: makeWorkspace(), goal: "more", log: { dir }, resume }),
    ).rejects.toMatchObject({ message: expect.stringContaining("was made in ") });
    const log = { dir };
    const provider = {
      name: "anthropic",
      model: "claude-other",
      stream: () => Promise.reject(new Error("never asked")),
    };
    await expect(
      runAgent([], { workspace: first.workspace, goal: "more", log, resume, provider }),
    ).rejects.toMatchObject({
      message: expect.stringContaining("anthropic claude-test, not anthropic claude-other"),
    });
  });
});

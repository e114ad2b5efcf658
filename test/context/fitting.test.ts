import { describe, expect, it } from "vitest";
import { planClearing, turnStart } from "../../src/context/clear-plan.ts";
import { contextWindowOf } from "../../src/context/context-window.ts";
import { ExecutionContext } from "../../src/context/execution-context.ts";
import { TokenMeter } from "../../src/context/token-meter.ts";
import { type Message, NO_USAGE, toolResultBlock } from "../../src/messages.ts";

/** A conversation of so many turns, each of two calls with results of so many bytes, deeply frozen. */
function conversation(turns: number, bytes = 4_000): ExecutionContext {
  const context = new ExecutionContext({ goal: "go", runId: "r" });
  for (let turn = 1; turn <= turns; turn++) {
    const ids = [`a${turn}`, `b${turn}`];
    context.addResponse(
      ids.map((id) => ({
        type: "tool_use" as const,
        id,
        name: id[0] === "a" ? "read" : "write",
        input: { turn },
      })),
      NO_USAGE,
    );
    const content = [{ type: "text" as const, text: "x".repeat(bytes) }];
    context.addToolResults(ids.map((id) => toolResultBlock(id, { content, isError: id === "b1" })));
  }
  deepFreeze(context.messages.slice());
  return context;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
}

const isReadOnly = (tool: string) => tool === "read";
const everything = { bytes: Number.POSITIVE_INFINITY, keepTurns: 0, isReadOnly };

describe("clearing", () => {
  it("takes the oldest results first, no more than asked for, and leaves the last turns alone", () => {
    const { messages } = conversation(5);
    const ids = (options: object) =>
      planClearing(messages, { ...everything, ...options }).cleared.map(({ call_id }) => call_id);
    expect(ids({ bytes: 5_000 })).toEqual(["a1", "b1"]);
    expect(ids({ keepTurns: 2 })).toEqual(["a1", "b1", "a2", "b2", "a3", "b3"]);
    expect(ids({ keepTurns: 5 })).toEqual([]);
    expect(ids({}).length).toBe(10);
  });

  it("leaves notes that say what was called, and invites to call again only what changes nothing", () => {
    const [a, b] = planClearing(conversation(1).messages, everything).cleared;
    expect([a?.note, b?.note]).toEqual([
      '[The result of read {"turn":1} (4048 bytes) was cleared to make room. Call it again if you need it.]',
      '[The result of write {"turn":1} (4048 bytes) was cleared to make room.]',
    ]);
  });

  it("makes new messages and blocks, keeps the others, and clears nothing twice", () => {
    const context = conversation(3);
    const before = [...context.messages];
    const { cleared } = planClearing(before, { ...everything, keepTurns: 2 });
    context.clearToolResults(cleared);
    expect(context.messages.map((message, at) => message === before[at])).toEqual(
      before.map((_, at) => at !== 2),
    );
    expect(context.messages[2]?.content[1]).toEqual(
      toolResultBlock("b1", { content: [{ type: "text", text: cleared[1]?.note ?? "" }], isError: true }),
    );
    expect(planClearing(context.messages, { ...everything, keepTurns: 2 }).cleared).toEqual([]);
  });

  it("is not worth it for what is small", () => {
    expect(planClearing(conversation(3, 900).messages, everything).cleared).toEqual([]);
  });

  it("refuses results that are not there", () => {
    expect(() => conversation(1).clearToolResults([{ call_id: "zz", note: "n" }])).toThrow(/no result zz/);
  });
});

describe("a summary", () => {
  const summary = (messages: number, text: string) => ({
    messages,
    text,
    usage: { ...NO_USAGE, output_tokens: 5 },
  });

  it("stands behind the goal in place of the older turns, and in place of an earlier summary", () => {
    const context = conversation(4);
    const [, , , , , ...rest] = context.messages;
    context.summarise(summary(4, "first"));
    expect(context.messages).toEqual([goalWith("first"), ...rest]);
    context.summarise(summary(2, "second"));
    expect(context.messages).toEqual([goalWith("second"), ...rest.slice(2)]);
    expect(context.usage.output_tokens).toBe(10);
  });

  it("can't tear a call from its answer, or stand for nothing", () => {
    for (const messages of [0, 1, 3, 8, 99]) {
      expect(() => conversation(4).summarise(summary(messages, "s"))).toThrow(/can't be summarised/);
    }
  });

  it("ends before the last turns", () => {
    const { messages } = conversation(4);
    expect([0, 1, 2, 3, 4, 5].map((turns) => turnStart(messages, turns))).toEqual([
      9,
      7,
      5,
      3,
      undefined,
      undefined,
    ]);
  });

  function goalWith(text: string): Message {
    return {
      role: "user",
      content: [
        { type: "text", text: "go" },
        { type: "text", text },
      ],
    };
  }
});

describe("the estimate of a request", () => {
  it("is what the last response has counted, and what was added since by the same measure", () => {
    const meter = new TokenMeter(["x".repeat(952)]);
    const [first, second] = [message(976), message(4_976)];
    expect(meter.tokens([first])).toBe(Math.ceil(1_952 / 3));
    meter.learn(meter.bytes([first]), { ...NO_USAGE, input_tokens: 88, cache_read_input_tokens: 400 });
    expect(meter.tokens([first])).toBe(488);
    expect(meter.tokens([first, second])).toBe(488 + 5_000 / 4);
    expect(meter.tokens([])).toBe(488 - 1_000 / 4);
  });

  it("is not led astray by servers that count nothing or nonsense", () => {
    const meter = new TokenMeter([]);
    meter.learn(1_000, NO_USAGE);
    expect(meter.tokens([message(2_976)])).toBe(1_000);
    meter.learn(meter.bytes([message(2_976)]), { ...NO_USAGE, input_tokens: 1 });
    expect(meter.bytesPerToken).toBe(5);
  });

  it("takes an image for what it costs, not for its bytes", () => {
    const data = "A".repeat(1_000_000);
    const image = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data },
    };
    expect(new TokenMeter([]).tokens([{ role: "user", content: [image] }])).toBeLessThan(3_000);
  });

  function message(chars: number): Message {
    return { role: "user", content: [{ type: "text", text: "x".repeat(chars) }] };
  }
});

it("a model's window is known by its name, or said by the provider", () => {
  expect(
    ["claude-opus-5-5", "claude-sonnet-5", "claude-haiku-4-5-20251001", "claude-opus-4-5", "llama"].map(
      (model) => contextWindowOf({ model }),
    ),
  ).toEqual([1_000_000, 1_000_000, 200_000, 200_000, 200_000]);
  expect(contextWindowOf({ model: "claude-opus-5-5", contextWindow: 7 })).toBe(7);
});

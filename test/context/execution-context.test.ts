import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExecutionContext } from "../../src/context/execution-context.ts";
import type { AssistantBlock, ToolResultBlock } from "../../src/messages.ts";
import { NO_USAGE } from "../../src/messages.ts";
import { requestProblem } from "../../src/testing/request-rules.ts";

const use = (id: string) => ({ type: "tool_use" as const, id, name: "read_file", input: {} });
const result = (id: string): ToolResultBlock => ({
  type: "tool_result",
  tool_use_id: id,
  content: [{ type: "text", text: `result of ${id}` }],
});
const newContext = () => new ExecutionContext({ goal: "do it", runId: "r" });

describe("the conversation", () => {
  it("answers all tool uses of a turn in one user message, in call order", () => {
    const context = newContext();
    expect(context.addResponse([use("a"), use("b")], NO_USAGE)).toEqual([use("a"), use("b")]);
    context.addToolResults([result("b"), result("a")]);
    expect(context.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "do it" }] },
      { role: "assistant", content: [use("a"), use("b")] },
      { role: "user", content: [result("a"), result("b")] },
    ]);
  });

  it.each([
    ["a missing result", [result("a")]],
    ["a foreign result", [result("a"), result("b"), result("c")]],
    ["a double result", [result("a"), result("b"), result("b")]],
    ["no result", []],
  ])("refuses %s", (_, results) => {
    const context = newContext();
    context.addResponse([use("a"), use("b")], NO_USAGE);
    expect(() => context.addToolResults(results)).toThrow(/tool/);
  });

  it("keeps thinking blocks whole, signatures included", () => {
    const thinking = { type: "thinking" as const, thinking: "hm", signature: "sig==" };
    const context = newContext();
    context.addResponse([thinking, { type: "text", text: "so" }], NO_USAGE);
    expect(context.messages.at(-1)).toEqual({
      role: "assistant",
      content: [thinking, { type: "text", text: "so" }],
    });
  });

  it("never changes a message that it has shown", () => {
    const context = newContext();
    context.addResponse([{ type: "text", text: "one" }], NO_USAGE);
    const before = structuredClone(context.messages);
    const shown = [...context.messages];
    context.addResponse([{ type: "text", text: "two" }], NO_USAGE);
    context.addUserText("go on");
    expect(shown).toEqual(before);
  });

  it("has no place for an empty goal", () => {
    expect(() => new ExecutionContext({ goal: " \n", runId: "r" })).toThrow("the goal is empty");
  });
});

const text = fc
  .string({ unit: "grapheme", maxLength: 8 })
  .map((value): AssistantBlock => ({ type: "text", text: value }));
const response = fc.array(fc.oneof(text, fc.constant("use" as const)), { maxLength: 4 });

it("is one that the API takes after any sequence of responses, results and corrections", () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ blocks: response, correct: fc.boolean() }), { maxLength: 12 }),
      (turns) => {
        const context = newContext();
        let ids = 0;
        for (const { blocks, correct } of turns) {
          const content = blocks.map((block) => (block === "use" ? use(`t${ids++}`) : block));
          const open = context.addResponse(content, NO_USAGE);
          if (open.length > 0) context.addToolResults(open.map(({ id }) => result(id)).toReversed());
          if (correct || context.messages.at(-1)?.role === "assistant") context.addUserText("go on");
          const messages = structuredClone(context.messages) as never;
          const tools = [{ name: "read_file", description: "r", input_schema: { type: "object" } }] as never;
          expect(requestProblem({ model: "m", max_tokens: 1, messages, tools })).toBeUndefined();
        }
      },
    ),
    { numRuns: 300 },
  );
});

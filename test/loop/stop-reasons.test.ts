import { describe, expect, it } from "vitest";
import { readTools } from "../../src/tools/built-in.ts";
import { text, toolUse, turn } from "../../src/testing.ts";
import { runAgent } from "../support/run-agent.ts";

const files = { "a.txt": "alpha\n" };
const READ_A = { path: "a.txt" };

/** What a user sees of how a run ended. */
function ending({ result }: Awaited<ReturnType<typeof runAgent>>) {
  const { subtype, terminalReason, stopReason, result: answer, numSteps } = result;
  return { subtype, terminalReason, stopReason, answer, numSteps };
}

describe("a response that ends with", () => {
  it("end_turn is the answer", async () => {
    const run = await runAgent([text("Hello.")]);
    expect(ending(run)).toEqual({
      subtype: "success",
      terminalReason: "completed",
      stopReason: "end_turn",
      answer: "Hello.",
      numSteps: 1,
    });
  });

  it("stop_sequence is the answer", async () => {
    const run = await runAgent([text("Hello.", { stopReason: "stop_sequence" })]);
    expect(ending(run)).toMatchObject({ subtype: "success", stopReason: "stop_sequence", answer: "Hello." });
  });

  it("tool_use is answered by the tools' results, and the run goes on", async () => {
    const run = await runAgent([toolUse("read_file", READ_A), text("It says alpha.")], {
      files,
      tools: readTools(),
    });
    expect(ending(run)).toMatchObject({ subtype: "success", answer: "It says alpha.", numSteps: 2 });
    expect(JSON.stringify(run.double.requests[1]?.body.messages?.[2])).toContain("alpha");
  });

  it("tool_use without any tool use fails as malformed", async () => {
    const run = await runAgent(() => text("I will read.", { stopReason: "tool_use" }));
    expect(ending(run)).toMatchObject({ terminalReason: "malformed_tool_use", answer: "I will read." });
  });

  it("max_tokens in a text is asked to go on, and the answer is put together", async () => {
    const run = await runAgent([text("One, ", { stopReason: "max_tokens" }), text("two.")]);
    expect(ending(run)).toMatchObject({ subtype: "success", answer: "One, two.", numSteps: 2 });
    expect(run.double.requests[1]?.body.messages?.at(-1)).toMatchObject({ role: "user" });
  });

  it("max_tokens again and again fails, with what was said so far kept", async () => {
    const run = await runAgent(() => text("more ", { stopReason: "max_tokens" }));
    expect(ending(run)).toEqual({
      subtype: "error_context_exhausted",
      terminalReason: "context_exhausted",
      stopReason: "max_tokens",
      answer: "more more more more ",
      numSteps: 4,
    });
  });

  it("max_tokens inside a tool call never runs that call", async () => {
    const cut = turn([{ type: "tool_use", name: "read_file", json: '{"path":"a.t' }], {
      stopReason: "max_tokens",
    });
    const run = await runAgent([cut, text("Understood.")], { files, tools: readTools() });
    expect(ending(run)).toMatchObject({ subtype: "success", answer: "Understood." });
    expect(run.events.filter(({ type }) => type.startsWith("tool_call"))).toEqual([]);
  });

  it("max_tokens after a whole tool call answers that call without running it", async () => {
    const cut = turn(
      [
        { type: "tool_use", id: "toolu_whole", name: "read_file", input: READ_A },
        { type: "tool_use", id: "toolu_cut", name: "read_file", json: '{"pa' },
      ],
      { stopReason: "max_tokens" },
    );
    const run = await runAgent([cut, text("Understood.")], { files, tools: readTools() });
    const finished = run.events.filter(({ type }) => type === "tool_call.finished");
    expect(finished).toMatchObject([{ call_id: "toolu_whole", error_type: "cancelled", isolation: "none" }]);
    expect(ending(run)).toMatchObject({ subtype: "success" });
  });

  it("pause_turn is sent back as it is, and goes on in the same turn", async () => {
    const run = await runAgent([text("Looking", { stopReason: "pause_turn" }), text(" done.")], {
      double: { strict: false },
    });
    expect(ending(run)).toMatchObject({ subtype: "success", answer: "Looking done.", numSteps: 2 });
    expect(run.double.requests[1]?.body.messages?.map(({ role }) => role)).toEqual(["user", "assistant"]);
  });

  it("refusal fails with the model's own words", async () => {
    const run = await runAgent([
      text("I can't.", { stopReason: "refusal", stopDetails: { explanation: "no" } }),
    ]);
    expect(ending(run)).toMatchObject({
      subtype: "error_refusal",
      terminalReason: "refusal",
      answer: "I can't.",
    });
  });

  it("model_context_window_exceeded is asked to go on once, and fails as exhausted context the second time", async () => {
    const run = await runAgent(() => text("So far ", { stopReason: "model_context_window_exceeded" }));
    expect(ending(run)).toMatchObject({
      terminalReason: "context_exhausted",
      answer: "So far So far ",
      numSteps: 2,
    });
  });

  it("model_context_window_exceeded in the middle of a tool call does not run it", async () => {
    const run = await runAgent(
      [
        turn([{ type: "tool_use", name: "read_file", input: READ_A }], {
          stopReason: "model_context_window_exceeded",
        }),
        text("I leave it."),
      ],
      { files, tools: readTools() },
    );
    expect(ending(run)).toMatchObject({ subtype: "success", answer: "I leave it." });
    const results = run.events.filter(({ type }) => type === "tool_call.finished");
    expect(results.map((event) => event["error_type"])).toEqual(["cancelled"]);
  });

  it("an unknown stop reason fails and names it", async () => {
    const run = await runAgent([text("Hm.", { stopReason: "coffee_break" })]);
    expect(run.result.errors).toEqual([
      { code: "api_error", message: "the response ended with an unknown stop reason: coffee_break" },
    ]);
  });
});

it("ends at the step limit, with every tool call answered", async () => {
  const run = await runAgent(() => toolUse("read_file", READ_A), { files, tools: readTools(), maxSteps: 3 });
  expect(ending(run)).toMatchObject({ subtype: "error_max_steps", terminalReason: "max_steps", numSteps: 3 });
  expect(run.events.filter(({ type }) => type === "tool_call.finished")).toHaveLength(3);
});

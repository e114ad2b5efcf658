import { expect, it } from "vitest";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { text, turn } from "../../src/testing.ts";
import { ModuleTool } from "../support/module-tool.ts";
import { runAgent } from "../support/run-agent.ts";

it("runs three calls of one turn, one that hangs and one that fails, to success", async () => {
  const calls = turn([
    { type: "text", text: "Three at once." },
    { type: "tool_use", id: "toolu_hangs", name: "loop", input: {} },
    { type: "tool_use", id: "toolu_reads", name: "read_file", input: { path: "a.txt" } },
    { type: "tool_use", id: "toolu_fails", name: "read_file", input: { path: "missing.txt" } },
  ]);
  const run = await runAgent([calls, text("Two of three told me something.")], {
    files: { "a.txt": "alpha\n" },
    tools: [...readTools(), new ModuleTool("loop")],
    toolTimeoutMs: 1_000,
  });
  expect(run.result).toMatchObject({ subtype: "success", result: "Two of three told me something." });
  const [, , answers] = run.double.requests[1]?.body.messages ?? [];
  expect(answers).toMatchObject({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "toolu_hangs", is_error: true },
      { type: "tool_result", tool_use_id: "toolu_reads", content: [{ type: "text", text: "alpha\n" }] },
      { type: "tool_result", tool_use_id: "toolu_fails", is_error: true },
    ],
  });
  const types = Object.fromEntries(
    run.events
      .filter(({ type }) => type === "tool_call.finished")
      .map((event) => [event["call_id"], event["error_type"]]),
  );
  expect(types).toEqual({ toolu_hangs: "timeout", toolu_reads: null, toolu_fails: "not_found" });
});

it("answers a tool that does not exist with an error that names those that do", async () => {
  const call = turn([{ type: "tool_use", name: "rm_rf", input: {} }]);
  const run = await runAgent([call, text("I see.")], { tools: readTools() });
  expect(run.result.subtype).toBe("success");
  expect(run.events.find(({ type }) => type === "tool_call.finished")).toMatchObject({
    name: "rm_rf",
    error_type: "unknown_tool",
    content: [{ type: "text", text: expect.stringContaining("read_file") }],
  });
});

it("answers fifty calls of one turn in call order", async () => {
  const names = Array.from({ length: 50 }, (_, i) => `${i}.txt`);
  const calls = turn(
    names.map((path, i) => ({
      type: "tool_use" as const,
      id: `toolu_${i}`,
      name: "read_file",
      input: { path },
    })),
  );
  const run = await runAgent([calls, text("Done.")], {
    files: Object.fromEntries(names.map((name) => [name, `content of ${name}\n`])),
    tools: readTools(),
  });
  const content = run.double.requests[1]?.body.messages?.[2]?.content;
  expect(content).toMatchObject(
    names.map((name, i) => ({
      tool_use_id: `toolu_${i}`,
      content: [{ type: "text", text: `content of ${name}\n` }],
    })),
  );
});

it("makes those that may write one after the other: four edits of one file in one turn are all in it", async () => {
  const letters = [..."abcd"];
  const edits = turn(
    letters.map((letter) => ({
      type: "tool_use" as const,
      name: "edit_file",
      input: { path: "f.txt", edits: [{ old_string: letter, new_string: letter.toUpperCase() }] },
    })),
  );
  const read = turn([{ type: "tool_use", name: "read_file", input: { path: "f.txt" } }]);
  const run = await runAgent([edits, read, text("Done.")], {
    files: { "f.txt": "a b c d\n" },
    tools: [...readTools(), ...writeTools()],
  });
  const finished = run.events.filter(({ type }) => type === "tool_call.finished");
  expect(finished.map((event) => event["error_type"])).toEqual(Array(5).fill(null));
  expect(finished[4]).toMatchObject({ content: [{ type: "text", text: "A B C D\n" }] });
});

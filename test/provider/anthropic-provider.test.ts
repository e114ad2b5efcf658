import { expect, test } from "vitest";
import { turn } from "../../src/testing.ts";
import { withDouble } from "./with-double.ts";

test("streams text, thinking and tool uses and puts them together", async () => {
  const { ask, sink, double } = await withDouble([
    turn([
      { type: "thinking", thinking: "The user wants the file. 读取文件 🙂" },
      { type: "text", text: "I'll read the file. 我来读取文件。🙂" },
      { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "README.md", note: 'ü\n"' } },
      { type: "tool_use", id: "toolu_2", name: "list_dir", input: {} },
    ]),
  ]);
  const response = await ask();
  expect(response).toEqual({
    id: "msg_double0",
    model: "claude-test",
    content: [
      { type: "thinking", thinking: "The user wants the file. 读取文件 🙂", signature: expect.any(String) },
      { type: "text", text: "I'll read the file. 我来读取文件。🙂" },
      { type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "README.md", note: 'ü\n"' } },
      { type: "tool_use", id: "toolu_2", name: "list_dir", input: {} },
    ],
    stopReason: "tool_use",
    cutToolUses: 0,
    usage: {
      input_tokens: 0,
      output_tokens: expect.any(Number),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: expect.any(Number),
    },
    timeToFirstTokenMs: expect.any(Number),
  });
  expect(sink).toMatchObject({
    text: "I'll read the file. 我来读取文件。🙂",
    thinking: "The user wants the file. 读取文件 🙂",
    log: ["thinking", "text"],
  });
  expect(double.requests.map((request) => request.refused)).toEqual([undefined]);
});

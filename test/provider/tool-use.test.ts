import { expect, test } from "vitest";
import { text, turn, type ReplyBlock } from "../../src/testing.ts";
import { withDouble } from "./with-double.ts";

const broken = (json: string, id = "t1"): ReplyBlock => ({ type: "tool_use", id, name: "read_file", json });
const whole: ReplyBlock = { type: "tool_use", id: "t0", name: "read_file", input: { path: "a" } };
const WHOLE = { type: "tool_use", id: "t0", name: "read_file", input: { path: "a" } };

test.each<[string, ReplyBlock[], RegExp]>([
  ["that is cut", [broken('{"path": "REA')], /the input of read_file is no JSON object/],
  ["that is no JSON", [broken("{path: README}")], /no JSON object/],
  ["that is a list", [broken("[1]")], /no JSON object/],
  ["that is a text", [broken('"README"')], /no JSON object/],
  ["of two tool uses with one id", [whole, broken("{}", "t0")], /two tool uses have the id t0/],
  ["without an id", [broken("{}", "")], /has no id or no name/],
  ["with an id that could not be sent back", [broken("{}", "a\nb")], /has an id that could not be sent back/],
  ["with an id of 10 KB", [broken("{}", "x".repeat(10_240))], /has an id that could not be sent back/],
  ["with a path for a name", [{ ...whole, name: "../../x.js" }], /has a name that could not be sent back/],
])("asks again for tool input %s, and gives up with malformed_tool_use", async (_what, content, message) => {
  const good = await withDouble([turn(content), turn([whole])]);
  expect((await good.ask()).content).toEqual([WHOLE]);
  expect(good.sink.retries[0]).toMatchObject({ code: "malformed_tool_use", maxAttempts: 2 });

  const bad = await withDouble(() => turn(content));
  const error = await bad.ask().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: "malformed_tool_use", message: expect.stringMatching(message) });
  expect(bad.double.requests).toHaveLength(3);
});

test.each<[string, string, object]>([
  ["in the middle of its input", '{"path": "READ', { cutToolUses: 1, content: [WHOLE] }],
  ["before its input", "", { cutToolUses: 1, content: [WHOLE] }],
  [
    "after its input",
    '{"path":"b"}',
    { cutToolUses: 0, content: [WHOLE, { ...WHOLE, id: "t1", input: { path: "b" } }] },
  ],
])("never gives a tool use that max_tokens has cut %s", async (_where, json, expected) => {
  for (const stopReason of ["max_tokens", "model_context_window_exceeded"]) {
    const { ask, sink } = await withDouble([turn([whole, broken(json)], { stopReason })]);
    expect(await ask()).toMatchObject({ stopReason, ...expected });
    expect(sink.log).toEqual([]);
  }
});

test("counts a tool use as cut when its block was not even closed", async () => {
  const { ask } = await withDouble([
    turn([whole, broken('{"path":"b"}')], {
      stopReason: "max_tokens",
      events: (sent) =>
        sent.filter(
          (sse) => !("event" in sse && sse.event === "content_block_stop" && sse.data["index"] === 1),
        ),
    }),
  ]);
  expect(await ask()).toMatchObject({ cutToolUses: 1, content: [WHOLE] });
});

test("leaves out thinking that max_tokens has cut before its signature", async () => {
  const { ask } = await withDouble([
    turn(
      [
        { type: "text", text: "So." },
        { type: "thinking", thinking: "hm" },
      ],
      {
        stopReason: "max_tokens",
        events: (sent) => sent.filter((sse) => !JSON.stringify(sse).includes("signature_delta")),
      },
    ),
  ]);
  expect(await ask()).toMatchObject({ cutToolUses: 0, content: [{ type: "text", text: "So." }] });
});

test("gives thinking back byte for byte, redacted too, with its tool use", async () => {
  const { ask, double } = await withDouble(
    [
      turn([{ type: "thinking", thinking: "line\n\u2028“ü”🙂" }, { type: "redacted_thinking" }, whole]),
      text("Done."),
    ],
    { thinking: "adaptive" },
  );
  const { content } = await ask();
  await ask({
    messages: [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t0", content: [{ type: "text", text: "ok" }] }],
      },
    ],
  });
  expect(double.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
});

test.each(["end_turn", "stop_sequence", "pause_turn", "refusal", "some_new_reason"])(
  "gives the stop reason %s as it is",
  async (stopReason) => {
    const { ask } = await withDouble([
      text("Hm.", { stopReason, stopDetails: { type: "refusal", explanation: "No." } }),
    ]);
    expect(await ask()).toMatchObject({
      stopReason,
      stopDetails: "No.",
      content: [{ type: "text", text: "Hm." }],
    });
  },
);

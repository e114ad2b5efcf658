import { expect, test } from "vitest";
import { event, type RawReply, type SseEvent, text, turn } from "../../src/testing.ts";
import { withDouble } from "./with-double.ts";

const HELLO = [{ type: "text", text: "Hello, world, how are you?" }];
const raw = (body: string): RawReply => ({ raw: body });
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

test.each<[string, string]>([
  ["an empty body", ""],
  ["a page of HTML", "<html><body>Sign in to the network</body></html>"],
  ["a JSON body", '{"type":"message","content":[]}'],
  ["lines that are no events", "one\ntwo\n\nthree: 3\n\n"],
  ["events without data", "event: message_start\n\nevent: message_stop\n\n"],
])("does not take %s for a response", async (_what, body) => {
  const { ask, double } = await withDouble(() => raw(body));
  await expect(ask()).rejects.toMatchObject({
    code: "stream_broken",
    hint: "check ANTHROPIC_BASE_URL",
    message: expect.stringMatching(/^the answer of .* is no stream of the Messages API \(3 tries\)$/),
  });
  expect(double.requests).toHaveLength(3);
});

const garbage =
  (...events: SseEvent[]) =>
  (sent: SseEvent[]) => [...sent.slice(0, 4), ...events, ...sent.slice(4)];

test.each<[string, (sent: SseEvent[]) => SseEvent[], RegExp]>([
  [
    "an event that is not JSON",
    garbage({ raw: 'event: content_block_delta\ndata: {"type":\n\n' }),
    /holds an event that is not JSON/,
  ],
  [
    "an event that is no object",
    garbage({ raw: "event: content_block_delta\ndata: 7\n\n" }),
    /holds an event that is not JSON/,
  ],
  [
    "bytes that are no text",
    garbage({ raw: `event: ping\ndata: ${"\u0000\uffff".repeat(9)}\n\n` }),
    /holds an event that is not JSON/,
  ],
  [
    "a delta of no block",
    garbage(event("content_block_delta", { index: 9, delta: { type: "text_delta", text: "x" } })),
    /a delta belongs to no block/,
  ],
  [
    "a block that begins twice",
    garbage(event("content_block_start", { index: 0, content_block: { type: "text", text: "" } })),
    /block 0 begins twice/,
  ],
  [
    "a block without a type",
    garbage(event("content_block_start", { index: 1, content_block: {} })),
    /a block has no type/,
  ],
  [
    "a block that never ends",
    (sent) => sent.filter((sse) => !("event" in sse && sse.event === "content_block_stop")),
    /a text block never ended/,
  ],
])("asks again when a stream holds %s", async (_what, events, message) => {
  const { ask, sink } = await withDouble([
    text("Hello, world, how are you?", { events }),
    text("Hello, world, how are you?"),
  ]);
  expect((await ask()).content).toEqual(HELLO);
  expect(sink.log).toEqual(["text", "withdrawn", "retry stream_broken", "text"]);
  expect(sink.retries[0]?.message).toMatch(message);
  expect(sink.text).toBe("Hello, world, how are you?");
});

test("passes over events, deltas and pings that it does not know", async () => {
  const odd = garbage(
    event("ping", {}),
    event("thread_event", { news: [1, 2] }),
    event("content_block_delta", { index: 0, delta: { type: "sparkle_delta", sparkle: "*" } }),
    { raw: ": keep-alive\n\n" },
    { raw: "id: 7\nretry: 10\n\n" },
    { raw: "event: message_extra\r\ndata: {}\r\n\r\n" },
  );
  const { ask, sink } = await withDouble([text("Hello, world, how are you?", { events: odd })]);
  expect((await ask()).content).toEqual(HELLO);
  expect(sink.log).toEqual(["text"]);
});

test("carries blocks that it does not know along unchanged, also in the next request", async () => {
  const block = { type: "hologram", depth: { z: [1, null] }, text: "" };
  const { ask, double } = await withDouble([
    turn([
      { type: "other", block },
      { type: "text", text: "So." },
    ]),
    text("Fine."),
  ]);
  const { content } = await ask();
  expect(content).toEqual([block, { type: "text", text: "So." }]);
  const messages = [
    { role: "user" as const, content: [{ type: "text" as const, text: "hi" }] },
    { role: "assistant" as const, content },
    { role: "user" as const, content: [{ type: "text" as const, text: "and?" }] },
  ];
  await ask({ messages });
  expect(double.requests[1]?.body.messages?.[1]?.content).toEqual(content);
});

test("puts the streamed input of a block it does not know together", async () => {
  const block = { type: "server_tool_use", id: "srv_1", name: "web_search", input: {} };
  const input = (partial_json: string) =>
    event("content_block_delta", { index: 0, delta: { type: "input_json_delta", partial_json } });
  const { ask } = await withDouble([
    turn([{ type: "other", block }], {
      stopReason: "pause_turn",
      events: (sent) => [...sent.slice(0, 3), input('{"query":'), input('"x"}'), ...sent.slice(3)],
    }),
  ]);
  expect(await ask()).toMatchObject({
    stopReason: "pause_turn",
    content: [{ ...block, input: { query: "x" } }],
  });
});

test("survives a flood of 50,000 pings", async () => {
  const pings = Array.from({ length: 50_000 }, () => event("ping", {}));
  const { ask } = await withDouble([text("Hello, world, how are you?", { events: garbage(...pings) })]);
  expect((await ask()).content).toEqual(HELLO);
});

test("takes a delta of 10 MB, as text and as tool input", async () => {
  const big = "0123456789abcdé".repeat(655_360);
  const { ask, sink } = await withDouble(
    [
      turn(
        [
          { type: "text", text: big },
          { type: "tool_use", id: "t", name: "n", input: { big } },
        ],
        { chunkChars: 20_000_000 },
      ),
    ],
    {},
    { contextWindow: 100_000_000 },
  );
  const { content } = await ask();
  expect(content).toEqual([
    { type: "text", text: big },
    { type: "tool_use", id: "t", name: "n", input: { big } },
  ]);
  expect(sink.text.length).toBe(big.length);
});

test("leaves out text of nothing but white space, which the API would refuse in the next request", async () => {
  const { ask } = await withDouble([
    turn([
      { type: "text", text: " \n" },
      { type: "text", text: "" },
      { type: "tool_use", id: "t", name: "n" },
    ]),
  ]);
  expect((await ask()).content).toEqual([{ type: "tool_use", id: "t", name: "n", input: {} }]);
});

test("understands servers that leave out what the API always says", async () => {
  const { ask } = await withDouble([
    // No event names, no usage, no message_stop, and OpenAI's end mark.
    raw(
      [
        data({ type: "message_start", message: { id: "x", role: "assistant", content: [] } }),
        data({ type: "content_block_start", index: 0, content_block: { type: "text", text: "He" } }),
        data({ type: "content_block_delta", delta: { type: "text_delta", text: "llo" } }),
        data({ type: "content_block_stop" }),
        data({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage: null }),
        "data: [DONE]\n\n",
      ].join(""),
    ),
    // A null stop reason; the input of the tool use is there at once.
    raw(
      [
        data({ type: "message_start", message: { usage: { input_tokens: null, output_tokens: 3 } } }),
        data({
          type: "content_block_start",
          index: 0,
          content_block: { type: "tool_use", id: "c", name: "n", input: { a: 1 } },
        }),
        data({ type: "content_block_stop", index: 0 }),
        data({ type: "message_delta", delta: { stop_reason: null } }),
        data({ type: "message_stop" }),
      ].join(""),
    ),
  ]);
  const none = {
    input_tokens: 0,
    output_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
  };
  expect(await ask()).toMatchObject({
    id: "x",
    model: "claude-test",
    content: [{ type: "text", text: "Hello" }],
    stopReason: "end_turn",
    usage: none,
  });
  expect(await ask()).toMatchObject({
    content: [{ type: "tool_use", id: "c", name: "n", input: { a: 1 } }],
    stopReason: "tool_use",
    usage: { ...none, output_tokens: 3 },
  });
});

test("reads a body that a gateway has compressed, and notices when it is cut", async () => {
  const { gzipSync } = await import("node:zlib");
  const body = gzipSync(
    [
      data({ type: "message_start", message: { id: "z" } }),
      data({
        type: "content_block_start",
        index: 0,
        content_block: { type: "text", text: "Hello, world, how are you?" },
      }),
      data({ type: "content_block_stop", index: 0 }),
      data({ type: "message_delta", delta: { stop_reason: "end_turn" } }),
      data({ type: "message_stop" }),
    ].join(""),
  );
  const headers = { "content-encoding": "gzip" };
  const { ask, sink } = await withDouble([
    { raw: body.subarray(0, body.length - 20), headers },
    { raw: body, headers },
  ]);
  expect((await ask()).content).toEqual(HELLO);
  expect(sink.retries.map(({ code }) => code)).toEqual(["stream_broken"]);
});

test.each([
  [-5, 0],
  [1e308, 1_000_000_000],
  [2 ** 53, 1_000_000_000],
  [0.5, 1],
])("counts %s tokens as %i, so that no budget is given back and no sum is inexact", async (told, counted) => {
  const usage = { input_tokens: told, output_tokens: told };
  const { ask } = await withDouble([text("Hm.", { usage })]);
  expect((await ask()).usage).toMatchObject({ input_tokens: counted, output_tokens: counted });
});

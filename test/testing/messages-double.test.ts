import { afterEach, expect, test } from "vitest";
import {
  apiError,
  type MessagesDouble,
  type MessagesDoubleOptions,
  startMessagesDouble,
  text,
  toolUse,
  turn,
} from "../../src/testing.ts";
import { assistant, post, request, textBlock, user } from "./post.ts";

let double: MessagesDouble;
afterEach(() => double.close());
const start = async (script: MessagesDoubleOptions["script"], more: Partial<MessagesDoubleOptions> = {}) => {
  double = await startMessagesDouble({ script, ...more });
};
const usageOf = (text: string) => JSON.parse(/"usage":(\{[^}]*\})/.exec(text)?.[1] ?? "{}");

test("streams a turn as the API does", async () => {
  await start([text("Hello, you over there.")]);
  const reply = await post(double.url, request());
  expect(reply.headers.get("content-type")).toMatch(/^text\/event-stream/);
  expect(reply.text).toMatchInlineSnapshot(`
    "event: message_start
    data: {"type":"message_start","message":{"id":"msg_double0","type":"message","role":"assistant","model":"claude-test","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":7,"output_tokens":1,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}}

    event: ping
    data: {"type":"ping"}

    event: content_block_start
    data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello, you over ther"}}

    event: content_block_delta
    data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"e."}}

    event: content_block_stop
    data: {"type":"content_block_stop","index":0}

    event: message_delta
    data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"input_tokens":7,"output_tokens":12,"cache_read_input_tokens":0,"cache_creation_input_tokens":0}}

    event: message_stop
    data: {"type":"message_stop"}

    "
  `);
});

test("answers one step a request, and says when the script is over", async () => {
  await start([toolUse("read_file", { path: "a" }), ({ index }) => text(`request ${index}`)]);
  const first = await post(double.url, request());
  const second = await post(double.url, request());
  const third = await post(double.url, request());
  expect(first.text).toContain('"stop_reason":"tool_use"');
  expect(second.text).toContain("request 1");
  expect([third.status, third.json?.error.message]).toEqual([400, "the script has no reply number 3"]);
  expect(double.requests).toHaveLength(3);
  expect(double.requests[0]?.raw.toString()).toBe(JSON.stringify(request()));
});

test("answers errors with the API's body, status and retry-after", async () => {
  await start([
    apiError(429, { retryAfter: 7 }),
    apiError(529),
    apiError(502, { type: "api_error", message: "bad gateway" }),
  ]);
  const replies = [
    await post(double.url, request()),
    await post(double.url, request()),
    await post(double.url, request()),
  ];
  expect(
    replies.map(({ status, json, headers }) => [status, json?.error, headers.get("retry-after")]),
  ).toEqual([
    [429, { type: "rate_limit_error", message: "scripted rate_limit_error" }, "7"],
    [529, { type: "overloaded_error", message: "scripted overloaded_error" }, null],
    [502, { type: "api_error", message: "bad gateway" }, null],
  ]);
});

test("cuts, ends and breaks a stream where it is told to", async () => {
  await start([
    text("x", { endAtByte: 100 }),
    text("x", { cutAtByte: 100 }),
    text("x", { errorAfterEvents: { events: 2, type: "overloaded_error" } }),
    { hangUp: true },
    { raw: "<html>", headers: { "content-type": "text/html" } },
  ]);
  expect((await post(double.url, request())).text).toHaveLength(100);
  await expect(post(double.url, request())).rejects.toThrow("terminated");
  expect((await post(double.url, request())).text).toMatch(
    /event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"scripted overloaded_error"}}\n\n$/,
  );
  await expect(post(double.url, request())).rejects.toThrow("fetch failed");
  expect((await post(double.url, request())).text).toBe("<html>");
});

test("counts a cached prefix as read when the next request goes on from it", async () => {
  await start(() => text("fine"));
  // A token is four bytes of a block's JSON: 107 for the system prompt, 7, 8 and 7 for the messages.
  const mark = { cache_control: { type: "ephemeral" } };
  const system = [{ ...textBlock("s".repeat(400)), ...mark }];
  const first = request({ system, messages: [user([{ ...textBlock("one"), ...mark }])] });
  const second = request({
    system,
    messages: [
      user([textBlock("one")]),
      assistant([textBlock("fine")]),
      user([{ ...textBlock("two"), ...mark }]),
    ],
  });
  const changed = { ...second, system: [{ ...textBlock("t".repeat(400)), ...mark }] };
  const unmarked = request({ system: [textBlock("s".repeat(400))] });
  const usages = [];
  for (const body of [first, second, second, changed, unmarked])
    usages.push(usageOf((await post(double.url, body)).text));
  const [one, two, again, other, none] = usages;
  expect(one).toMatchObject({
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 114,
    input_tokens: 0,
  });
  expect(two).toMatchObject({ cache_read_input_tokens: 114, cache_creation_input_tokens: 15 });
  expect(again).toMatchObject({ cache_read_input_tokens: 129, cache_creation_input_tokens: 0 });
  expect(other).toMatchObject({ cache_read_input_tokens: 0, cache_creation_input_tokens: 129 });
  expect(none).toMatchObject({
    cache_read_input_tokens: 0,
    cache_creation_input_tokens: 0,
    input_tokens: 114,
  });
});

test("has a context window: refuses a prompt beyond it and stops where it is full", async () => {
  await start(() => text("Q".repeat(400)), { contextWindow: 100 });
  const long = await post(double.url, request({ messages: [user("x".repeat(1_000))] }));
  expect([long.status, long.json?.error.message]).toEqual([
    400,
    "prompt is too long: 257 tokens > 100 maximum",
  ]);
  const near = await post(double.url, request());
  expect(near.text).toContain('"stop_reason":"model_context_window_exceeded"');
  // Of the 100 tokens the question takes 7; the rest is for the answer, which is cut there.
  expect(near.text.match(/Q/g)).toHaveLength(93 * 4);
});

test("says so when the script throws, and refuses nothing when it is not strict", async () => {
  await start(
    () => {
      throw new Error("no idea");
    },
    { strict: false },
  );
  const reply = await post(double.url, { nonsense: true });
  expect([reply.status, reply.json?.error.message]).toEqual([400, "script failed: Error: no idea"]);
});

test("closes at once, even while a reply hangs", async () => {
  await start([turn([], { stallAtByte: 10 })]);
  const hanging = post(double.url, request()).catch((error: Error) => error.message);
  while (double.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  await double.close();
  expect(await hanging).toMatch(/terminated|fetch failed/);
});

test("streams a block of a million characters in as many pieces as it takes", async () => {
  const big = "x".repeat(1_000_000);
  await start([text(big, { chunkChars: 5 })], { contextWindow: 1e9 });
  const { text: sent } = await post(double.url, request());
  const pieces = [...sent.matchAll(/"text_delta","text":"(x+)"/g)].map(([, piece = ""]) => piece);
  expect(pieces).toHaveLength(200_000);
  expect(pieces.join("") === big).toBe(true);
});

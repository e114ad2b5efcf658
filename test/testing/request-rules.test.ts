import { afterAll, beforeAll, expect, test } from "vitest";
import { type MessagesDouble, startMessagesDouble, text } from "../../src/testing.ts";
import { signThinking } from "../../src/testing/sse-events.ts";
import { assistant, post, request, result, textBlock, use, user } from "./post.ts";

let double: MessagesDouble;
beforeAll(async () => {
  double = await startMessagesDouble({
    script: () => text("fine"),
    models: ["claude-test"],
    keys: ["sk-test"],
  });
});
afterAll(() => double.close());

const tool = (more: Record<string, unknown> = {}) => ({
  name: "read_file",
  description: "Reads.",
  input_schema: { type: "object" },
  ...more,
});
const marked = (text: string, marker: unknown = { type: "ephemeral" }) => ({
  ...textBlock(text),
  cache_control: marker,
});
const thinking = (text: string, signature: unknown = signThinking(text)) => ({
  type: "thinking",
  thinking: text,
  signature,
});
const turnOf = (...content: unknown[]) => [user("hi"), assistant(content)];
const answered = (use: unknown[], results: unknown[]) => [user("hi"), assistant(use), user(results)];

const REFUSED: [string, Record<string, unknown>, RegExp][] = [
  ["no model", request({ model: undefined }), /^model: Field required$/],
  ["no max_tokens", request({ max_tokens: undefined }), /^max_tokens: Field required$/],
  ["temperature", request({ temperature: 0 }), /^temperature: Extra inputs are not permitted$/],
  ["top_p", request({ top_p: 0.5 }), /^top_p: Extra inputs/],
  ["top_k", request({ top_k: 5 }), /^top_k: Extra inputs/],
  ["an unknown effort", request({ output_config: { effort: "huge" } }), /^output_config\.effort/],
  [
    "a thinking budget under 1,024",
    request({ max_tokens: 5000, thinking: { type: "enabled", budget_tokens: 5 } }),
    /budget_tokens/,
  ],
  [
    "a thinking budget of all tokens",
    request({ max_tokens: 2000, thinking: { type: "enabled", budget_tokens: 2000 } }),
    /must be greater than/,
  ],
  ["an unknown thinking mode", request({ thinking: { type: "deep" } }), /^thinking: Input tag/],
  ["no messages", request({ messages: undefined }), /^messages: Field required$/],
  ["an empty list of messages", request({ messages: [] }), /at least one message/],
  ["an unknown role", request({ messages: [{ role: "tool", content: "x" }] }), /role: Input should be/],
  [
    "an assistant that begins",
    request({ messages: [assistant("hi")] }),
    /first message must use the "user" role/,
  ],
  ["two user messages in a row", request({ messages: [user("a"), user("b")] }), /roles must alternate/],
  ["an empty message", request({ messages: [user([])] }), /non-empty content/],
  ["an empty text", request({ messages: [user([textBlock("")])] }), /must be non-empty/],
  ["a blank text", request({ messages: [user([textBlock(" \n")])] }), /non-whitespace/],
  [
    "an empty system text",
    request({ system: [textBlock("")] }),
    /^system: text content blocks must be non-empty/,
  ],
  [
    "an empty text in a result",
    request({ messages: answered([use("a")], [result("a", [textBlock("")])]) }),
    /must be non-empty/,
  ],
  [
    "a prefill that ends in white space",
    request({ messages: turnOf(textBlock("so ")) }),
    /trailing whitespace/,
  ],
  ["a tool name with a dot", request({ tools: [tool({ name: "a.b" })] }), /^tools\.0\.custom\.name/],
  ["a tool name of 129 letters", request({ tools: [tool({ name: "a".repeat(129) })] }), /custom\.name/],
  ["two tools of one name", request({ tools: [tool(), tool()] }), /must be unique/],
  [
    "a tool without a schema",
    request({ tools: [tool({ input_schema: undefined })] }),
    /input_schema: Field required/,
  ],
  [
    "a tool schema that is no object's",
    request({ tools: [tool({ input_schema: { type: "array" } })] }),
    /input_schema\.type/,
  ],
  [
    "a tool use that is not answered",
    request({ messages: [...turnOf(use("a")), user("go on")] }),
    /without `tool_result` blocks immediately after: a$/,
  ],
  ["a tool use at the end", request({ messages: turnOf(use("a")) }), /without `tool_result`/],
  [
    "one of two tool uses not answered",
    request({ messages: answered([use("a"), use("b")], [result("b")]) }),
    /after: a$/,
  ],
  [
    "a result for no tool use",
    request({ messages: answered([use("a")], [result("a"), result("b")]) }),
    /unexpected `tool_use_id`.*: b$/,
  ],
  [
    "a result at the very beginning",
    request({ messages: [user([result("a")])] }),
    /unexpected `tool_use_id`/,
  ],
  [
    "two results for one tool use",
    request({ messages: answered([use("a")], [result("a"), result("a")]) }),
    /single result/,
  ],
  [
    "a result after a text",
    request({ messages: answered([use("a")], [textBlock("so"), result("a")]) }),
    /must come first/,
  ],
  [
    "two tool uses of one id",
    request({ messages: answered([use("a"), use("a")], [result("a")]) }),
    /ids must be unique/,
  ],
  ["a tool use of a user", request({ messages: [user([use("a")])] }), /can only be in `assistant`/],
  ["a result of an assistant", request({ messages: turnOf(result("a")) }), /can only be in `user`/],
  [
    "a tool use with a bad id",
    request({ messages: answered([use("a b")], [result("a b")]) }),
    /tool_use\.id/,
  ],
  [
    "a tool use with a text as input",
    request({ messages: answered([use("a", "t", "x")], [result("a")]) }),
    /valid dictionary/,
  ],
  [
    "an error without content",
    request({ messages: answered([use("a")], [{ ...result("a", []), is_error: true }]) }),
    /cannot be empty if `is_error`/,
  ],
  [
    "an image that is no image",
    request({
      messages: [
        user([{ type: "image", source: { type: "base64", media_type: "text/html", data: "AA==" } }]),
      ],
    }),
    /media_type/,
  ],
  [
    "an image that is not base64",
    request({
      messages: [user([{ type: "image", source: { type: "base64", media_type: "image/png", data: "é" } }])],
    }),
    /invalid base64/,
  ],
  [
    "thinking without a signature",
    request({ messages: turnOf(thinking("hm", null), textBlock("so")) }),
    /signature: Field required/,
  ],
  [
    "thinking with another's signature",
    request({ messages: turnOf(thinking("hm", signThinking("ha")), textBlock("so")) }),
    /Invalid `signature`/,
  ],
  [
    "five breakpoints",
    request({ system: [marked("a")], messages: [user([1, 2, 3, 4].map((n) => marked(String(n))))] }),
    /maximum of 4 .* Found 5/,
  ],
  [
    "a breakpoint of an unknown kind",
    request({ system: [marked("a", { type: "forever" })] }),
    /cache_control\.type/,
  ],
  [
    "a breakpoint of an unknown life",
    request({ system: [marked("a", { type: "ephemeral", ttl: "9h" })] }),
    /cache_control\.ttl/,
  ],
  [
    "a breakpoint on thinking",
    request({
      messages: turnOf({ ...thinking("hm"), cache_control: { type: "ephemeral" } }, textBlock("so")),
    }),
    /cache_control: Extra inputs/,
  ],
];

test.each(REFUSED)("refuses %s with the API's own 400", async (_what, body, message) => {
  const { status, json } = await post(double.url, body);
  expect({ status, type: json?.error.type }).toEqual({ status: 400, type: "invalid_request_error" });
  expect(json?.error.message).toMatch(message);
  expect(double.requests.at(-1)?.refused?.message).toBe(json?.error.message);
});

const ACCEPTED: [string, Record<string, unknown>][] = [
  ["a plain question", request()],
  [
    "a conversation with tools, thinking, an image and four breakpoints",
    request({
      max_tokens: 5000,
      thinking: { type: "enabled", budget_tokens: 1024 },
      output_config: { effort: "xhigh" },
      tools: [tool({ cache_control: { type: "ephemeral" } })],
      system: [marked("Be good.", { type: "ephemeral", ttl: "1h" })],
      messages: [
        user([marked("hi")]),
        assistant([
          thinking("hm"),
          { type: "redacted_thinking", data: "xx" },
          textBlock("so"),
          use("a"),
          use("b"),
        ]),
        user([
          { ...result("b", [textBlock("no")]), is_error: true },
          {
            ...result("a", [
              { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
            ]),
            cache_control: { type: "ephemeral" },
          },
          textBlock("go on"),
        ]),
      ],
    }),
  ],
  [
    "a block of a later type in an assistant message",
    request({ messages: [...turnOf({ type: "compaction", x: 1 }), user("go on")] }),
  ],
  [
    "an empty result",
    request({ messages: answered([use("a")], [{ type: "tool_result", tool_use_id: "a" }]) }),
  ],
];

test.each(ACCEPTED)("takes %s", async (_what, body) => {
  const { status, text } = await post(double.url, body);
  expect({ status, text }).toEqual({ status: 200, text: expect.stringContaining("event: message_stop") });
});

test("refuses a missing key with 401, an unknown model with 404, and what is no JSON with 400", async () => {
  expect((await post(double.url, request(), { authorization: "" })).status).toBe(401);
  expect((await post(double.url, request(), { authorization: "Bearer sk-other" })).json?.error.type).toBe(
    "authentication_error",
  );
  expect((await post(double.url, request({ model: "gpt" }))).json?.error).toEqual({
    type: "not_found_error",
    message: "model: gpt",
  });
  expect((await post(double.url, "{")).status).toBe(400);
  expect((await fetch(`${double.url}/v1/complete`)).status).toBe(404);
});

test("wants the thinking of the turn whose tool call is answered back, unchanged", async () => {
  const strict = await startMessagesDouble({
    script: () => ({
      content: [
        { type: "thinking", thinking: "hm" },
        { type: "tool_use", id: "t1", name: "read_file" },
      ],
    }),
  });
  await post(strict.url, request());
  const without = await post(strict.url, request({ messages: answered([use("t1")], [result("t1")]) }));
  const other = await post(
    strict.url,
    request({ messages: answered([thinking("ha"), use("t1")], [result("t1")]) }),
  );
  const whole = await post(
    strict.url,
    request({ messages: answered([thinking("hm"), use("t1")], [result("t1")]) }),
  );
  await strict.close();
  expect([without.status, other.status, whole.status]).toEqual([400, 400, 200]);
  expect(without.json?.error.message).toMatch(/cannot be modified/);
});

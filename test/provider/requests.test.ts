import { afterEach, expect, test, vi } from "vitest";
import type { Message } from "../../src/messages.ts";
import { text, toolUse, turn } from "../../src/testing.ts";
import { REQUEST, withDouble } from "./with-double.ts";

const MARKER = /,"cache_control":\{"type":"ephemeral"\}/g;

/** A conversation of so many steps with two tool calls each, as the loop would have it. */
async function converse(
  steps: number,
  ask: (request: { messages: readonly Message[] }) => Promise<{ content: unknown[] }>,
) {
  const messages: Message[] = [
    { role: "user", content: [{ type: "text", text: "读 README.md “now” \u2028" }] },
  ];
  for (let step = 0; step < steps; step++) {
    const { content } = await ask({ messages });
    messages.push({ role: "assistant", content: content as never });
    messages.push({
      role: "user",
      content: content.flatMap((block) => {
        const { type, id } = block as { type: string; id: string };
        const answer = [{ type: "text" as const, text: `result of ${id} ${"é".repeat(100)}` }];
        return type === "tool_use"
          ? [{ type: "tool_result" as const, tool_use_id: id, content: answer }]
          : [];
      }),
    });
  }
  return messages;
}

test("sends what it has sent once again byte for byte, and has it read from the cache", async () => {
  const { ask, double } = await withDouble(() =>
    turn([
      { type: "thinking", thinking: "hm 🙂" },
      { type: "tool_use", name: "read_file", input: { path: "a\u0000b", n: 1e21, ü: "\\" } },
      { type: "tool_use", name: "read_file", input: {} },
    ]),
  );
  await converse(12, ask);
  expect(double.requests.map(({ refused }) => refused)).toEqual(Array.from({ length: 12 }));
  const bodies = double.requests.map(({ raw }) => raw.toString());
  for (const [index, body] of bodies.entries()) {
    expect(body.match(MARKER)?.length).toBe(index === 0 ? 3 : 4);
    const next = bodies[index + 1];
    if (next === undefined) continue;
    const sent = body.replaceAll(MARKER, "").slice(0, -"]}".length);
    expect(next.replaceAll(MARKER, "").startsWith(sent)).toBe(true);
    // All of it is read from the cache, and all that is new is written to it.
    const { cache_read_input_tokens: read, cache_creation_input_tokens: written } =
      double.requests[index]!.inputUsage!;
    expect(double.requests[index + 1]?.inputUsage).toMatchObject({
      cache_read_input_tokens: read + written,
      input_tokens: 0,
    });
  }
});

test("marks the last tool, the system prompt and the ends of the last two user messages", async () => {
  const { ask, double } = await withDouble(() => toolUse("read_file", { path: "a" }));
  await converse(3, ask);
  const marked: string[] = [];
  JSON.parse(double.requests[2]!.raw.toString(), function (this: unknown, key, value: unknown) {
    if (key === "cache_control") marked.push(JSON.stringify(Object.keys(this as object)));
    return value;
  });
  expect(marked).toEqual([
    '["name","description","input_schema","cache_control"]',
    '["type","text","cache_control"]',
    '["type","tool_use_id","content","cache_control"]',
    '["type","tool_use_id","content","cache_control"]',
  ]);
  expect(double.requests[2]?.body).toMatchObject({
    messages: [{}, {}, { content: [{ cache_control: {} }] }, {}, { content: [{ cache_control: {} }] }],
  });
});

test("sends what the settings say, and no more", async () => {
  const plain = await withDouble([text("Hi.")]);
  await plain.ask({ system: "", tools: [] });
  expect(plain.double.requests[0]?.body).toEqual({
    model: "claude-test",
    max_tokens: 1_024,
    stream: true,
    messages: [
      {
        role: "user",
        content: [{ ...REQUEST.messages[0]!.content[0], cache_control: { type: "ephemeral" } }],
      },
    ],
  });
  const full = await withDouble([text("Hi."), text("Hi.")], { thinking: 2_000, effort: "max" });
  await full.ask({ maxTokens: 4_000 });
  expect(full.double.requests[0]?.body).toMatchObject({
    max_tokens: 4_000,
    thinking: { type: "enabled", budget_tokens: 2_000 },
    output_config: { effort: "max" },
  });
  const off = await withDouble([text("Hi.")], { thinking: "off" });
  await off.ask();
  expect(off.double.requests[0]?.body).toMatchObject({ thinking: { type: "disabled" } });
});

const environment = { ...process.env };
afterEach(() => {
  process.env = { ...environment };
});

test("takes nothing from the environment and prints nothing", async () => {
  Object.assign(process.env, {
    ANTHROPIC_API_KEY: "sk-env",
    ANTHROPIC_AUTH_TOKEN: "token-env",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
    ANTHROPIC_CUSTOM_HEADERS: "x-leak: 1\ncookie: 2",
    ANTHROPIC_LOG: "debug",
    ANTHROPIC_PROFILE: "none-such",
    ANTHROPIC_WORKSPACE_ID: "w",
  });
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, "write").mockImplementation((bytes) => written.push(String(bytes)) > 0),
  );
  try {
    const { ask, double } = await withDouble([
      text("Hi.", { events: (sent) => [...sent.slice(0, 2), { raw: "data: {\n\n" }] }),
      text("Hi."),
    ]);
    await ask();
    const { authorization, ...headers } = double.requests[1]!.headers;
    expect(authorization).toBe("Bearer sk-test-key");
    expect(
      Object.keys(headers)
        .filter((name) => !name.startsWith("x-stainless-"))
        .toSorted(),
    ).toEqual([
      "accept",
      "accept-encoding",
      "anthropic-version",
      "connection",
      "content-length",
      "content-type",
      "host",
      "user-agent",
    ]);
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  expect(written).toEqual([]);
});

test("sends a token as a token, and to a server that needs no credential none", async () => {
  const { AnthropicProvider } = await import("../../src/provider/anthropic/anthropic-provider.ts");
  const { RecordingSink } = await import("./recording-sink.ts");
  const { double } = await withDouble(() => text("Hi."), {}, { strict: false });
  const signal = new AbortController().signal;
  const options = { model: "m", baseUrl: `${double.url}/` };
  await new AnthropicProvider({ ...options, authToken: "tok" }).stream(REQUEST, new RecordingSink(), signal);
  await new AnthropicProvider(options).stream(REQUEST, new RecordingSink(), signal);
  expect(
    double.requests.map(({ headers, path }) => [headers.authorization, headers["x-api-key"], path]),
  ).toEqual([
    ["Bearer tok", undefined, "/v1/messages"],
    [undefined, undefined, "/v1/messages"],
  ]);
});

test("uses one connection for one conversation", async () => {
  const { createServer } = await import("node:http");
  const { double, provider } = await withDouble(() => toolUse("read_file", { path: "a" }));
  // A relay that counts who comes in.
  let connections = 0;
  const relay = createServer((request, response) => {
    void (async () => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      const { authorization = "" } = request.headers;
      const headers = { authorization, "anthropic-version": "2026-10-21" };
      const answer = await fetch(`${double.url}/v1/messages`, {
        method: "POST",
        headers,
        body: Buffer.concat(parts),
      });
      response.writeHead(answer.status, { "content-type": "text/event-stream" });
      response.end(Buffer.from(await answer.arrayBuffer()));
    })();
  }).on("connection", () => connections++);
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as { port: number };
  const { AnthropicProvider } = await import("../../src/provider/anthropic/anthropic-provider.ts");
  const { RecordingSink } = await import("./recording-sink.ts");
  const relayed = new AnthropicProvider({
    model: provider.model,
    apiKey: "k",
    baseUrl: `http://127.0.0.1:${port}`,
  });
  const signal = new AbortController().signal;
  await converse(5, ({ messages }) => relayed.stream({ ...REQUEST, messages }, new RecordingSink(), signal));
  relay.closeAllConnections();
  relay.close();
  expect([double.requests.length, connections]).toEqual([5, 1]);
});

test("sends again at once when a kept connection is closed as it is used", async () => {
  const { createServer } = await import("node:net");
  const { double } = await withDouble(() => text("Hi."));
  const { port: target } = new URL(double.url);
  const { connect } = await import("node:net");
  let connections = 0;
  // A relay that hangs up on the second request of every connection.
  const relay = createServer((socket) => {
    connections++;
    let requests = 0;
    const onward = connect(Number(target), "127.0.0.1");
    socket
      .on("error", () => {})
      .on("data", (bytes) => {
        if (bytes.includes("POST /v1/messages") && ++requests === 2) socket.destroy();
      });
    onward.on("error", () => {}).pipe(socket);
    socket.pipe(onward);
  });
  await new Promise<void>((resolve) => relay.listen(0, "127.0.0.1", resolve));
  const { port } = relay.address() as { port: number };
  const { AnthropicProvider } = await import("../../src/provider/anthropic/anthropic-provider.ts");
  const { RecordingSink } = await import("./recording-sink.ts");
  const provider = new AnthropicProvider({ model: "m", apiKey: "k", baseUrl: `http://127.0.0.1:${port}` });
  const sink = new RecordingSink();
  for (let at = 0; at < 3; at++) await provider.stream(REQUEST, sink, new AbortController().signal);
  relay.close();
  expect(sink.log).toEqual(["text"]);
  expect(connections).toBe(3);
});

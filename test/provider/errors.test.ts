import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { AnthropicProvider } from "../../src/provider/anthropic/anthropic-provider.ts";
import { apiError, type Reply, text } from "../../src/testing.ts";
import { RecordingSink } from "./recording-sink.ts";
import { REQUEST, withDouble } from "./with-double.ts";

const KEY = "sk-test-key";
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function failure(reply: Reply, options: Parameters<typeof withDouble>[1] = {}) {
  const { ask, sink, double } = await withDouble(() => reply, { maxRetries: 2, ...options });
  const error = await ask().catch((thrown: unknown) => thrown);
  const host = new URL(double.url).host;
  const { code, message, hint } = error as { code: string; message: string; hint?: string };
  expect(message).not.toContain(KEY);
  expect(message).not.toContain("\n");
  return {
    code,
    message: message.replace(host, "HOST"),
    hint,
    requests: double.requests.length,
    log: sink.log,
  };
}

test.each<[string, Reply, object]>([
  [
    "400",
    apiError(400, { message: "messages: nonsense" }),
    { code: "request_invalid", requests: 1, message: "HOST refused the request (400): messages: nonsense" },
  ],
  [
    "400 for a prompt that is too long",
    apiError(400, { message: "prompt is too long: 210000 tokens > 200000 maximum" }),
    { code: "context_exhausted", requests: 1 },
  ],
  ["413", apiError(413), { code: "request_invalid", requests: 1 }],
  [
    "401",
    apiError(401, { message: `invalid x-api-key ${KEY}` }),
    {
      code: "auth_failed",
      requests: 1,
      hint: "check the value of ANTHROPIC_API_KEY",
      message: "HOST refused the credential (401): invalid x-api-key [redacted]",
    },
  ],
  ["403", apiError(403), { code: "auth_failed", requests: 1 }],
  [
    "402",
    apiError(402, { message: "no credit" }),
    { code: "api_error", requests: 1, message: "HOST answered with an error (402): no credit" },
  ],
  [
    "404 for a model",
    apiError(404, { message: "model: claude-test" }),
    { code: "model_not_found", requests: 1, message: "HOST has no model claude-test: model: claude-test" },
  ],
  [
    "404 for the address",
    { raw: "<html>not found</html>", status: 404 },
    {
      code: "request_invalid",
      requests: 1,
      hint: "set ANTHROPIC_BASE_URL to the part of the address before /v1/messages",
    },
  ],
  [
    "a redirect",
    { raw: "", status: 307, headers: { location: "https://evil.example/" } },
    {
      code: "request_invalid",
      requests: 1,
      message: "HOST redirects elsewhere (307), which is not followed",
    },
  ],
  [
    "429",
    apiError(429),
    {
      code: "rate_limited",
      requests: 3,
      message: "HOST limits the rate (429): scripted rate_limit_error (3 tries)",
    },
  ],
  ["529", apiError(529), { code: "overloaded", requests: 3 }],
  ["408", apiError(408), { code: "api_error", requests: 3 }],
  ["409", apiError(409), { code: "api_error", requests: 3 }],
  ["500", apiError(500), { code: "api_error", requests: 3 }],
  [
    "502 of a gateway",
    { raw: "<html>\n<h1>Bad Gateway</h1></html>", status: 502, headers: { "content-type": "text/html" } },
    { code: "api_error", requests: 3 },
  ],
  ["503", apiError(503), { code: "api_error", requests: 3 }],
  [
    "500 that is not worth it",
    apiError(500, { headers: { "x-should-retry": "false" } }),
    { code: "api_error", requests: 1 },
  ],
  [
    "400 that is worth it",
    apiError(400, { headers: { "x-should-retry": "true" } }),
    { code: "request_invalid", requests: 3 },
  ],
  [
    "a hang-up",
    { hangUp: true },
    { code: "network_error", requests: 3, message: "HOST closed the connection (ECONNRESET) (3 tries)" },
  ],
])("names %s in one line and tries again only where that helps", async (_what, reply, expected) => {
  expect(await failure(reply)).toMatchObject(expected);
});

test.each([
  ["overloaded_error", "overloaded", 3],
  ["rate_limit_error", "rate_limited", 3],
  ["api_error", "api_error", 3],
  ["timeout_error", "api_error", 3],
  ["invalid_request_error", "request_invalid", 1],
  ["authentication_error", "auth_failed", 1],
  ["some_new_error", "api_error", 3],
])("takes %s in the middle of a stream for what it is", async (type, code, requests) => {
  const { log, ...rest } = await failure(
    text("Hello, world, how are you?", { errorAfterEvents: { events: 4, type } }),
  );
  expect(rest).toMatchObject({ code, requests });
  expect(log).toEqual(
    Array.from({ length: requests }, (_, at) =>
      at === requests - 1 ? ["text", "withdrawn"] : ["text", "withdrawn", `retry ${code}`],
    ).flat(),
  );
});

test("goes on after errors that pass, and tells of each", async () => {
  const { ask, sink } = await withDouble([
    apiError(429, { retryAfter: 0.05 }),
    apiError(529),
    text("half of it and more", { cutAtByte: 600 }),
    text("All of it."),
  ]);
  const startedAt = performance.now();
  const { content } = await ask();
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(50);
  expect(content).toEqual([{ type: "text", text: "All of it." }]);
  expect(sink.text).toBe("All of it.");
  expect(
    sink.retries.map(({ attempt, maxAttempts, code, retryAfterMs }) => ({
      attempt,
      maxAttempts,
      code,
      retryAfterMs,
    })),
  ).toEqual([
    { attempt: 1, maxAttempts: 6, code: "rate_limited", retryAfterMs: 50 },
    { attempt: 2, maxAttempts: 6, code: "overloaded", retryAfterMs: undefined },
    { attempt: 3, maxAttempts: 6, code: "stream_broken", retryAfterMs: undefined },
  ]);
  expect(sink.retries[0]?.delayMs).toBeGreaterThanOrEqual(50);
});

test.each([429, 500, 502, 503, 529])(
  "waits after %i as long as the server asks for, or by its own count",
  async (status) => {
    for (const retryAfter of [0.15, undefined]) {
      const { ask, sink } = await withDouble([
        apiError(status, retryAfter === undefined ? {} : { retryAfter }),
        text("Hi."),
      ]);
      const startedAt = performance.now();
      expect((await ask()).content).toEqual([{ type: "text", text: "Hi." }]);
      if (retryAfter !== undefined) expect(performance.now() - startedAt).toBeGreaterThanOrEqual(149);
      expect(sink.retries.map(({ retryAfterMs }) => retryAfterMs)).toEqual([
        retryAfter === undefined ? undefined : 150,
      ]);
    }
  },
);

test("counts what is tried twice only for itself", async () => {
  const { ask, sink } = await withDouble([
    apiError(529),
    apiError(500),
    apiError(529),
    { raw: "" },
    text("Hi."),
  ]);
  expect((await ask()).content).toEqual([{ type: "text", text: "Hi." }]);
  expect(sink.retries.map(({ code, maxAttempts }) => `${code} ${maxAttempts}`)).toEqual([
    "overloaded 6",
    "api_error 6",
    "overloaded 6",
    "stream_broken 2",
  ]);
});

test("does not wait when the server asks for longer than is allowed", async () => {
  const reply = apiError(429, { retryAfter: 3_600 });
  expect(await failure(reply, { retryAfterMaxMs: 1_000 })).toMatchObject({
    code: "rate_limited",
    requests: 1,
    log: [],
  });
});

test("names a server that refuses the connection", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  expect(await askAt(`http://127.0.0.1:${port}`)).toMatchObject({
    code: "network_error",
    message: `127.0.0.1:${port} refused the connection (ECONNREFUSED) (3 tries)`,
    hint: "is the server running, and is ANTHROPIC_BASE_URL right?",
  });
});

test("names a host that does not exist", async () => {
  const error = await askAt("http://no-such-host.invalid", { maxRetries: 0 });
  expect(error.code).toBe("network_error");
  expect(error.message).toMatch(
    /^no-such-host\.invalid:80 (is not a known host name|could not be looked up) \(E\w+\)$/,
  );
});

test("names a server that speaks no TLS, and does not try again", async () => {
  const { double } = await withDouble([]);
  const error = await askAt(double.url.replace("http:", "https:"));
  expect(error.code).toBe("network_error");
  expect(error.message).toMatch(/^no secure connection to 127\.0\.0\.1:\d+ \((EPROTO|ERR_SSL_\w+)\): /);
  expect(error.message).not.toContain("tries");
});

test.each([
  ["nothing at all", ""],
  ["half a status line", "HTTP/1.1 20"],
  ["half the headers", "HTTP/1.1 200 OK\r\ncontent-type: text/ev"],
  [
    "headers and no body",
    "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n",
  ],
  ["no HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
])("takes a connection that ends after %s for broken", async (_what, bytes) => {
  const url = await rawServer(bytes);
  const error = await askAt(url, { maxRetries: 1 });
  expect(error.code).toBe("network_error");
});

test("says which credential is missing before it sends anything", async () => {
  const provider = new AnthropicProvider({ model: "m" });
  await expect(
    provider.stream(REQUEST, new RecordingSink(), new AbortController().signal),
  ).rejects.toMatchObject({
    code: "auth_failed",
    message: "there is no API key",
    hint: "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server that needs none",
  });
});

test.each([
  ["a key with a line break", { apiKey: "sk-1\n" }, "auth_failed"],
  ["key and token at once", { apiKey: "a", authToken: "b" }, "settings_invalid"],
  ["a base URL that is none", { baseUrl: "localhost:80" }, "settings_invalid"],
  ["a proxy that is none", { proxy: "socks5://x" }, "settings_invalid"],
  ["no model", { model: " " }, "settings_invalid"],
  ["a thinking budget that is too small", { thinking: 10 }, "settings_invalid"],
])("refuses %s", (_what, options, code) => {
  let error: unknown;
  try {
    new AnthropicProvider({ model: "m", ...options });
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toMatchObject({ code });
  expect((error as Error).message).not.toContain("sk-1");
});

test("refuses a thinking budget that leaves no room for a response", async () => {
  const { ask, double } = await withDouble([], { thinking: 2_000 });
  await expect(ask({ maxTokens: 2_000 })).rejects.toMatchObject({ code: "request_invalid" });
  expect(double.requests).toHaveLength(0);
});

async function askAt(baseUrl: string, options: { maxRetries?: number } = {}) {
  const provider = new AnthropicProvider({ model: "m", apiKey: KEY, baseUrl, retryBaseMs: 1, ...options });
  const ask = provider.stream(REQUEST, new RecordingSink(), new AbortController().signal);
  return ask.then(
    () => {
      throw new Error("there was an answer");
    },
    (error: { code: string; message: string; hint?: string }) => error,
  );
}

/** A server that answers every request with these bytes and closes the connection. */
async function rawServer(bytes: string): Promise<string> {
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => socket.end(bytes));
  }).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((resolve) => server.once("listening", resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

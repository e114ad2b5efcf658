import { expect, test } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { settle } from "../../src/provider/anthropic/anthropic-options.ts";
import { apiError, text } from "../../src/testing.ts";
import { withDouble } from "./with-double.ts";

const HELLO = "Hello, world, how are you?";

test("asks again when a stream goes silent, before its first byte or in its middle", async () => {
  const { ask, sink } = await withDouble(
    [
      text(HELLO, { headerDelayMs: 30_000 }),
      text(HELLO, { stallAtByte: 0 }),
      text(HELLO, { stallAtByte: 700 }),
      text(HELLO),
    ],
    { firstByteTimeoutMs: 1_000, idleTimeoutMs: 1_000 },
  );
  expect((await ask()).content).toEqual([{ type: "text", text: HELLO }]);
  expect(sink.log).toEqual([
    "retry network_error",
    "retry network_error",
    "text",
    "withdrawn",
    "retry stream_broken",
    "text",
  ]);
  expect(sink.retries.map(({ message }) => message.replace(/127\.0\.0\.1:\d+/, "HOST"))).toEqual([
    "HOST did not begin to answer within 1 s",
    "HOST did not begin to answer within 1 s",
    "the response of HOST went silent for 1 s",
  ]);
});

test("waits a minute for the first byte and five for the next one, unless it is told otherwise", () => {
  expect(settle({ model: "m" })).toMatchObject({ firstByteTimeoutMs: 60_000, idleTimeoutMs: 300_000 });
});

test("does not take a slow stream for a silent one", async () => {
  const { ask, sink } = await withDouble([text(HELLO, { eventDelayMs: 300 })], {
    firstByteTimeoutMs: 2_000,
    idleTimeoutMs: 2_000,
  });
  const { timeToFirstTokenMs } = await ask();
  expect(timeToFirstTokenMs).toBeGreaterThanOrEqual(299);
  expect(sink.log).toEqual(["text"]);
});

test.each([
  ["before the headers", text(HELLO, { headerDelayMs: 30_000 })],
  ["in the middle of the stream", text(HELLO, { stallAtByte: 700 })],
  ["in the wait before the next try", apiError(429, { retryAfter: 60 })],
])("ends at once when it is aborted %s", async (_when, reply) => {
  const { ask, double, sink } = await withDouble([reply]);
  const controller = new AbortController();
  const asked = ask({}, controller.signal).catch((error: unknown) => error);
  while (double.requests.length === 0) await pause(5);
  await pause(100);
  const abortedAt = performance.now();
  controller.abort(new Error("Ctrl+C"));
  const error = await asked;
  expect(error).toBeInstanceOf(RuiZNError);
  expect(error).toMatchObject({ code: "aborted" });
  expect(performance.now() - abortedAt).toBeLessThan(1_000);
  expect(sink.log).not.toContain("withdrawn");
  expect(double.requests).toHaveLength(1);
});

test("sends nothing when it is aborted before", async () => {
  const { ask, double } = await withDouble([]);
  await expect(ask({}, AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
  expect(double.requests).toHaveLength(0);
});

test("lets an error of the sink out, unchanged and without another try", async () => {
  const { provider, sink, double } = await withDouble([text(HELLO)]);
  const unwritable = new RuiZNError("log_unwritable", "disk full");
  sink.onText = () => {
    throw unwritable;
  };
  const request = {
    system: "",
    tools: [],
    messages: [{ role: "user" as const, content: [{ type: "text" as const, text: "hi" }] }],
    maxTokens: 9,
  };
  const error = await provider
    .stream(request, sink, new AbortController().signal)
    .catch((thrown: unknown) => thrown);
  expect(error).toBe(unwritable);
  expect(double.requests).toHaveLength(1);
});

test("gives the response at once when the connection stays open behind it", async () => {
  const { ask } = await withDouble([text(HELLO, { stallAtByte: Number.POSITIVE_INFINITY })]);
  const startedAt = performance.now();
  expect((await ask()).content).toEqual([{ type: "text", text: HELLO }]);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

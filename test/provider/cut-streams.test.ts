import { expect, test } from "vitest";
import { AnthropicProvider } from "../../src/provider/anthropic/anthropic-provider.ts";
import { startMessagesDouble, turn, type TurnReply } from "../../src/testing.ts";
import { aShare } from "../support/effort.ts";
import { RecordingSink } from "./recording-sink.ts";
import { REQUEST } from "./with-double.ts";

const WHOLE = turn([
  { type: "thinking", thinking: "Ü" },
  { type: "text", text: "I read 读." },
  { type: "tool_use", id: "t1", name: "read_file", input: { path: "a" } },
]);
const PARALLEL = 8;

/** Asks once for each byte of the response, which breaks off there at first and is whole when asked for again. */
async function cutAtEveryByte(fault: (byte: number) => Partial<TurnReply>) {
  const tried = new Set<string>();
  const double = await startMessagesDouble({
    script: ({ body }) => {
      const goal = JSON.stringify(body.messages);
      if (tried.has(goal)) return WHOLE;
      tried.add(goal);
      return { ...WHOLE, ...fault(Number(/byte (\d+)/.exec(goal)?.[1])) };
    },
  });
  const provider = new AnthropicProvider({
    model: "m",
    apiKey: "sk-test",
    baseUrl: double.url,
    maxRetries: 1,
    retryBaseMs: 1,
  });
  const ask = async (byte: number) => {
    const sink = new RecordingSink();
    const goal = { type: "text" as const, text: `byte ${byte}` };
    const request = { ...REQUEST, messages: [{ role: "user" as const, content: [goal] }] };
    const response = await provider.stream(request, sink, new AbortController().signal);
    return { response, sink };
  };
  const whole = await ask(Number.MAX_SAFE_INTEGER);
  const bytes = await bodyBytes(double.url);
  const seen = new Map<string, number>();
  for (let start = 0; start < bytes; start += PARALLEL) {
    const all = Array.from({ length: Math.min(PARALLEL, bytes - start) }, (_, at) => start + at);
    const places = aShare(all, 3, start);
    for (const { response, sink } of await Promise.all(places.map(ask))) {
      expect(response.content).toEqual(whole.response.content);
      expect(response.stopReason).toBe("tool_use");
      expect(response.usage.output_tokens).toBe(whole.response.usage.output_tokens);
      expect([sink.text, sink.thinking]).toEqual([whole.sink.text, whole.sink.thinking]);
      const log = sink.log.join(", ");
      seen.set(log, (seen.get(log) ?? 0) + 1);
    }
  }
  await double.close();
  return { bytes, seen };
}

/** The length of the response's body; ids and counts are of one length in all of them. */
async function bodyBytes(url: string): Promise<number> {
  const reply = await fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { authorization: "Bearer x", "anthropic-version": "2026-10-21" },
    body: JSON.stringify({
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: "byte 9007199254740991" }],
    }),
  });
  return (await reply.arrayBuffer()).byteLength;
}

const RETRIED = [
  "retry stream_broken",
  "retry network_error",
  "thinking, withdrawn, retry stream_broken",
  "thinking, text, withdrawn, retry stream_broken",
].map((log) => `${log}, thinking, text`);

test("asks again, and shows nothing twice, wherever the connection is cut", {
  timeout: 120_000,
}, async () => {
  const { bytes, seen } = await cutAtEveryByte((byte) => ({ cutAtByte: byte }));
  console.log(`connection cut at ${bytes} places`, Object.fromEntries(seen));
  expect(bytes).toBeGreaterThan(1_000);
  expect([...seen.keys()].filter((log) => !RETRIED.includes(log))).toEqual([]);
});

test("asks again wherever the response ends in good order, but too early", { timeout: 120_000 }, async () => {
  const { bytes, seen } = await cutAtEveryByte((byte) => ({ endAtByte: byte }));
  console.log(`response ended at ${bytes} places`, Object.fromEntries(seen));
  // With the stop reason the response is whole, also for servers that leave out message_stop.
  expect([...seen.keys()].filter((log) => !RETRIED.includes(log))).toEqual(["thinking, text"]);
});

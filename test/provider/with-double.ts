import { afterEach } from "vitest";
import type { ModelRequest } from "../../src/provider/provider.ts";
import { type AnthropicOptions } from "../../src/provider/anthropic/anthropic-options.ts";
import { AnthropicProvider } from "../../src/provider/anthropic/anthropic-provider.ts";
import { type MessagesDouble, type MessagesDoubleOptions, startMessagesDouble } from "../../src/testing.ts";
import { RecordingSink } from "./recording-sink.ts";

const open: MessagesDouble[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((double) => double.close()));
});

/** A double and a provider that talks to it through the real SDK, with short waits. */
export async function withDouble(
  script: MessagesDoubleOptions["script"],
  options: Partial<AnthropicOptions> = {},
  doubleOptions: Partial<MessagesDoubleOptions> = {},
) {
  const double = await startMessagesDouble({ script, ...doubleOptions });
  open.push(double);
  const provider = new AnthropicProvider({
    model: "claude-test",
    apiKey: "sk-test-key",
    baseUrl: double.url,
    retryBaseMs: 2,
    ...options,
  });
  const sink = new RecordingSink();
  const ask = (request: Partial<ModelRequest> = {}, signal: AbortSignal = new AbortController().signal) =>
    provider.stream({ ...REQUEST, ...request }, sink, signal);
  return { double, provider, sink, ask };
}

export const REQUEST: ModelRequest = {
  system: "You are a test.",
  tools: [
    {
      name: "read_file",
      description: "Reads a file.",
      input_schema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    },
  ],
  messages: [{ role: "user", content: [{ type: "text", text: "Read README.md" }] }],
  maxTokens: 1_024,
};

// What a streamed response costs in the client, by the SDK's helper, by the SDK's raw events, and by the provider; and
// whether it grows with the length of the response or faster. All take turns against the same server process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { AnthropicProvider } from "../dist/src/provider/anthropic/anthropic-provider.js";
import { statistics } from "./lib/statistics.mjs";

const ROUNDS = 9;
const COUNTS = [5_000, 10_000, 20_000];
const server = fork(fileURLToPath(new URL("stream/server.mjs", import.meta.url)));
const { url } = await new Promise((resolve) => server.once("message", resolve));

const sdk = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0, openTelemetry: false });
const messages = [{ role: "user", content: [{ type: "text", text: "go" }] }];
const params = (model) => ({ model, max_tokens: 64_000, messages });

async function raw(model) {
  let text = "";
  let json = "";
  for await (const event of await sdk.messages.create({ ...params(model), stream: true })) {
    if (event.type !== "content_block_delta") continue;
    if (event.delta.type === "text_delta") text += event.delta.text;
    else if (event.delta.type === "input_json_delta") json += event.delta.partial_json;
  }
  return text || JSON.parse(json).text;
}

async function helper(model, listen) {
  let shown = 0;
  const stream = sdk.messages.stream(params(model));
  if (listen) {
    stream.on("text", (delta) => (shown += delta.length));
    stream.on("inputJson", (delta) => (shown += delta.length));
  }
  const [block] = (await stream.finalMessage()).content;
  return block.type === "text" ? block.text : block.input.text;
}

async function provider(model) {
  let shown = 0;
  const sink = { onText: (text) => (shown += text.length), onThinking() {}, onWithdrawn() {}, onRetry() {} };
  const request = { system: "", tools: [], messages, maxTokens: 64_000 };
  const client = new AnthropicProvider({ model, apiKey: "k", baseUrl: url });
  const { content } = await client.stream(request, sink, new AbortController().signal);
  return content[0].type === "text" ? content[0].text : content[0].input.text;
}

const contenders = {
  "SDK raw events, own assembly": raw,
  "SDK .stream(), no listener": (model) => helper(model, false),
  "SDK .stream(), listening": (model) => helper(model, true),
  AnthropicProvider: provider,
};

async function measure(contender, model, length) {
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const text = await contender(model);
  const wallMs = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  if (text.length !== length) throw new Error(`${text.length} characters instead of ${length}`);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

console.log(`node ${process.version}, ${ROUNDS} rounds in turns, median (min–max)`);
console.log("| client | deltas | count | wall ms | CPU ms | µs CPU a delta |");
console.log("|---|---|---|---|---|---|");
for (const kind of ["text", "tool"]) {
  for (const count of COUNTS) {
    const results = new Map(Object.keys(contenders).map((name) => [name, { wall: [], cpu: [] }]));
    for (let round = -1; round < ROUNDS; round++) {
      for (const [name, contender] of Object.entries(contenders)) {
        const { wallMs, cpuMs } = await measure(contender, `${kind}-${count}`, count * "token ".length);
        // The first round warms up.
        if (round >= 0) results.get(name).wall.push(wallMs);
        if (round >= 0) results.get(name).cpu.push(cpuMs);
      }
    }
    for (const [name, { wall, cpu }] of results) {
      const [w, c] = [statistics(wall), statistics(cpu)];
      const row = [name, kind, count, shown(w), shown(c), ((c.median * 1_000) / count).toFixed(1)];
      console.log(`| ${row.join(" | ")} |`);
    }
  }
}
server.disconnect();

function shown({ median, min, max }) {
  return `${median.toFixed(0)} (${min.toFixed(0)}–${max.toFixed(0)})`;
}
process.exit(0);

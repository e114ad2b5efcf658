// What a streamed response costs: the whole loop with its events on disk, against the SDK's raw events; and whether it
// grows with the length of the response or faster. All take turns against the same server process.
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import Anthropic from "@anthropic-ai/sdk";
import { EventWriter } from "../../dist/src/events/event-writer.js";
import { LlmTokenEvent } from "../../dist/src/events/run-event.js";
import { AgentRunner } from "../../dist/src/index.js";
import { AnthropicProvider } from "../../dist/src/provider/anthropic/anthropic-provider.js";
import { readTools } from "../../dist/src/tools/built-in.js";
import { withScratch } from "../lib/scratch.mjs";
import { statistics } from "../lib/statistics.mjs";
import { ratioOf } from "../lib/turns.mjs";

const LARGEST = 20_000;
const CHUNK_CHARS = "token ".length;
const KINDS = ["text", "tool"];

const paramsOf = (model) => ({ model, max_tokens: 64_000, messages: [{ role: "user", content: "go" }] });

async function raw(sdk, model) {
  let chars = 0;
  for await (const event of await sdk.messages.create({ ...paramsOf(model), stream: true })) {
    if (event.type !== "content_block_delta") continue;
    chars += (event.delta.text ?? event.delta.partial_json ?? "").length;
  }
  return chars;
}

async function listening(sdk, model) {
  let chars = 0;
  const stream = sdk.messages.stream(paramsOf(model));
  stream.on("text", (delta) => (chars += delta.length));
  stream.on("inputJson", (delta) => (chars += delta.length));
  await stream.finalMessage();
  return chars;
}

async function wholeRun(url, model, workspace) {
  let chars = 0;
  const runner = new AgentRunner({
    goal: "go",
    workspace,
    provider: new AnthropicProvider({ model, apiKey: "k", baseUrl: url }),
    tools: readTools(),
    policy: { decide: () => ({ allowed: true }) },
    seal: "off",
    log: {},
    contextWindow: 1_000_000,
    subscribers: [
      {
        name: "bench",
        onEvent({ event }) {
          if (event.type === "llm.token") chars += event.text.length;
          else if (event.type === "tool_call.started") chars += JSON.stringify(event.input).length;
        },
      },
    ],
  });
  const result = await runner.run();
  if (result.isError) throw new Error(JSON.stringify(result));
  return chars;
}

async function cpuMs(work, length) {
  const before = process.cpuUsage();
  const chars = await work();
  const { user, system } = process.cpuUsage(before);
  if (chars < length) throw new Error(`${chars} characters instead of ${length}`);
  return (user + system) / 1_000;
}

async function samplesOf(contenders, { model, length, rounds }) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -1; round < rounds; round += 1) {
    for (const [name, contender] of Object.entries(contenders)) {
      const ms = await cpuMs(() => contender(model), length);
      if (round >= 0) samples[name].push(ms);
    }
  }
  return samples;
}

/** The log's part alone: as many events as the longest response has deltas, and nothing else. */
function logAlone(workspace, round) {
  const writer = EventWriter.create({ workspace, runId: `alone-${round}` });
  const stamp = { v: 1, ts: "2026-07-22T18:20:00.000Z", run_id: `alone-${round}` };
  for (let seq = 1; seq <= LARGEST; seq += 1) {
    writer.onEvent({ stamp: { ...stamp, seq }, event: new LlmTokenEvent({ step: 1, text: "token " }) });
  }
  writer.close();
  return Number.POSITIVE_INFINITY;
}

export async function measure({ quick }) {
  const server = fork(fileURLToPath(new URL("../stream/server.mjs", import.meta.url)), { execArgv: [] });
  const { url } = await new Promise((resolve) => server.once("message", resolve));
  const sdk = new Anthropic({ apiKey: "k", baseURL: url, maxRetries: 0, openTelemetry: false });
  const all = {};
  const log = [];
  await withScratch(async (workspace) => {
    const contenders = {
      raw: (model) => raw(sdk, model),
      listening: (model) => listening(sdk, model),
      ours: (model) => wholeRun(url, model, workspace),
    };
    for (let round = 0; round < 5; round += 1) log.push(await cpuMs(() => logAlone(workspace, round), 0));
    for (const kind of KINDS) {
      for (const count of [2_500, 5_000, 10_000, LARGEST]) {
        const of = { model: `${kind}-${count}`, length: count * CHUNK_CHARS, rounds: quick ? 3 : 7 };
        (all[kind] ??= {})[count] = await samplesOf(contenders, of);
      }
    }
  });
  server.disconnect();
  return {
    measures: KINDS.flatMap((kind) => measuresOf(kind, all[kind], statistics(log).median)),
    series: KINDS.map((kind) => plot(kind, all[kind])),
  };
}

function measuresOf(kind, byCount, logMs) {
  const what = kind === "text" ? "text" : "tool input";
  const { raw: base, ours } = byCount[LARGEST];
  const limit =
    kind === "text"
      ? `each delta is an event of its own, hashed and written before it is shown: ${logMs.toFixed(0)} ms CPU of ${LARGEST.toLocaleString("en")} events alone`
      : "a worker thread is started and asked, and two requests are made instead of one";
  const common = { unit: "ms CPU", limit };
  return [
    ratioOf({
      ...common,
      what: `20,000 deltas of ${what}, whole run, events on disk`,
      against: "the SDK's raw events",
      goal: { max: 3 },
      base,
      ours,
    }),
    ratioOf({
      ...common,
      what: `the same, 20,000 deltas of ${what}`,
      against: "10,000 deltas (2 is linear)",
      goal: { max: 2.2 },
      base: byCount[10_000].ours,
      ours,
    }),
  ];
}

function plot(kind, byCount) {
  const line = (key, name) => ({
    name,
    points: Object.entries(byCount).map(([count, of]) => [Number(count), statistics(of[key]).median]),
  });
  return {
    title: `one response, ${kind === "text" ? "text" : "tool input"}`,
    x: "deltas",
    y: "ms CPU",
    lines: [
      line("ours", "ours"),
      line("raw", "SDK, raw events"),
      line("listening", "SDK .stream(), listening"),
    ],
  };
}

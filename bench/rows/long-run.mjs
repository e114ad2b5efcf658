// A run of 500 steps, each with a tool result of 40 KB, in a window of 200,000 tokens: what a step costs at the beginning
// and at the end of one and the same run.
import { fork } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AgentRunner } from "../../dist/src/index.js";
import { AnthropicProvider } from "../../dist/src/provider/anthropic/anthropic-provider.js";
import { readTools } from "../../dist/src/tools/built-in.js";
import { withScratch } from "../lib/scratch.mjs";
import { ratioOf } from "../lib/turns.mjs";

const RESULT_BYTES = 40_960;
const WINDOW_TOKENS = 200_000;
/** Steps on either side of the tenth, and twice as many at the end. */
const AROUND = 7;
const EARLY = 10;
const WARM = 100;

async function startServer(steps) {
  const file = fileURLToPath(new URL("../long-run/server.mjs", import.meta.url));
  const server = fork(file, [String(steps)], { execArgv: [] });
  const requests = [];
  const { url } = await new Promise((resolve) => server.once("message", resolve));
  server.on("message", (request) => requests.push(request));
  return { server, requests, url };
}

function stepWatcher() {
  const steps = [];
  const counts = { cleared: 0, summaries: 0 };
  return {
    steps,
    counts,
    name: "bench",
    onEvent({ event }) {
      const now = { ms: performance.now(), cpu: process.cpuUsage() };
      if (event.type === "step.started") steps[event.step] = { from: now };
      else if (event.type === "llm.request") steps[event.step].asked = now;
      else if (event.type === "step.finished") steps[event.step].to = now;
      else if (event.type === "context.cleared") counts.cleared += event.cleared.length;
      else if (event.type === "context.summarised") counts.summaries += 1;
    },
  };
}

function costOf({ from, to, asked }) {
  const used = to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system;
  return { wall: to.ms - from.ms, cpu: used / 1_000, own: asked.ms - from.ms };
}

async function run(steps, folder) {
  for (const n of [0, 1, 2]) {
    const line = "line of a file, 40 bytes with line feed\n";
    writeFileSync(join(folder, `${n}.txt`), line.repeat(RESULT_BYTES / line.length));
  }
  const { server, requests, url } = await startServer(steps);
  const watcher = stepWatcher();
  const runner = new AgentRunner({
    goal: "Read on.",
    workspace: folder,
    provider: new AnthropicProvider({ model: "claude-test", apiKey: "none", baseUrl: url }),
    tools: readTools(),
    policy: { decide: () => ({ allowed: true }) },
    seal: "try",
    log: {},
    maxSteps: steps + 10,
    contextWindow: WINDOW_TOKENS,
    subscribers: [watcher],
  });
  const startedAt = performance.now();
  const result = await runner.run();
  const seconds = (performance.now() - startedAt) / 1_000;
  server.disconnect();
  const largest = Math.max(...requests.map(({ tokens }) => tokens));
  if (result.isError || largest > WINDOW_TOKENS)
    throw new Error(`${result.subtype}, largest ${largest} tokens`);
  return {
    steps: watcher.steps.map((step) => (step?.to ? costOf(step) : undefined)),
    counts: watcher.counts,
    largest,
    seconds,
  };
}

export async function measure({ quick }) {
  const count = quick ? 150 : 500;
  const { steps, counts, largest, seconds } = await withScratch((folder) => run(count, folder));
  const around = (centre, key) => [
    steps
      .slice(centre - AROUND, centre + AROUND)
      .filter(Boolean)
      .map((step) => step[key]),
  ];
  const of = (key, what, at) =>
    ratioOf({
      what: `${what}, last 14 of ${count} steps`,
      against: `around step ${at}`,
      unit: "ms",
      goal: { max: 1.2 },
      limit:
        "by 14 steps of a few ms each: the garbage collector's; the size of a request goes up and down with what is cleared",
      base: around(at, key),
      ours: around(count - AROUND, key),
    });
  return {
    measures: [
      of("own", "a step before its request: fit, budget", EARLY),
      of("cpu", "a step, all CPU of the process", EARLY),
      of("cpu", "a step, all CPU of the process", WARM),
    ],
    notes: [
      `${count} steps in ${seconds.toFixed(1)} s; largest request ${largest} tokens of ${WINDOW_TOKENS}; results cleared ${counts.cleared}, summaries ${counts.summaries}.`,
    ],
    series: [plot(steps)],
  };
}

/** Medians of ten steps each: a single one is as long as a garbage collection makes it. */
function plot(steps) {
  const line = (key, name) => ({
    name,
    points: Array.from({ length: Math.floor((steps.length - 1) / 10) }, (_, part) => {
      const values = steps
        .slice(part * 10 + 1, part * 10 + 11)
        .filter(Boolean)
        .map((step) => step[key]);
      return [part * 10 + 5, values.toSorted((a, b) => a - b)[values.length >> 1]];
    }),
  });
  return {
    title: "a step of one long run",
    x: "step",
    y: "ms",
    lines: [line("cpu", "CPU, tool included"), line("own", "before the request")],
  };
}

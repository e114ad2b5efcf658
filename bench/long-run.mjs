// A run of 500 steps, each with a tool result of 40 KB, in a window of 200,000 tokens: what a step costs at the beginning
// and at the end of one and the same run.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { AnthropicProvider } from "../dist/src/provider/anthropic/anthropic-provider.js";
import { AgentRunner } from "../dist/src/index.js";
import { readTools } from "../dist/src/tools/built-in.js";
import { statistics } from "./lib/statistics.mjs";

const STEPS = Number(process.argv[2] ?? 500);
const RESULT_BYTES = 40_960;
const WINDOW_TOKENS = 200_000;
/** Steps on either side of the tenth, and as many before the last. */
const AROUND = 7;

const folder = mkdtempSync(join(tmpdir(), "ruizn-long-run-"));
for (const name of ["0.txt", "1.txt", "2.txt"]) {
  writeFileSync(
    join(folder, name),
    `${"line of a file, 40 bytes with line feed\n".repeat(RESULT_BYTES / 40)}`,
  );
}
const server = fork(fileURLToPath(new URL("long-run/server.mjs", import.meta.url)), [String(STEPS)]);
const requests = [];
const { url } = await new Promise((resolve) => server.once("message", resolve));
server.on("message", (request) => requests.push(request));

const steps = [];
const counts = { cleared: 0, edits: 0, summaries: 0 };
const watcher = {
  name: "bench",
  onEvent({ event }) {
    const now = { ms: performance.now(), cpu: process.cpuUsage(), ...counts };
    if (event.type === "step.started") steps[event.step] = { from: now };
    else if (event.type === "llm.request") steps[event.step].asked = now;
    else if (event.type === "step.finished") steps[event.step].to = now;
    else if (event.type === "context.cleared") {
      counts.edits += 1;
      counts.cleared += event.cleared.length;
    } else if (event.type === "context.summarised") counts.summaries += 1;
  },
};
const runner = new AgentRunner({
  goal: "Read on.",
  workspace: folder,
  provider: new AnthropicProvider({ model: "claude-test", apiKey: "none", baseUrl: url }),
  tools: readTools(),
  policy: { decide: () => ({ allowed: true }) },
  seal: "try",
  log: {},
  maxSteps: STEPS + 10,
  contextWindow: WINDOW_TOKENS,
  subscribers: [watcher],
});
const startedAt = performance.now();
const result = await runner.run();
const seconds = (performance.now() - startedAt) / 1_000;
server.disconnect();
rmSync(folder, { recursive: true, force: true });

const cost = ({ from, to, asked }) => ({
  wall: to.ms - from.ms,
  cpu: (to.cpu.user + to.cpu.system - from.cpu.user - from.cpu.system) / 1_000,
  own: asked.ms - from.ms,
});
const around = (centre) =>
  steps
    .slice(centre - AROUND, centre + AROUND)
    .filter((step) => step?.to)
    .map(cost);
const [early, warm, late] = [around(10), around(100), around(STEPS - AROUND)];
const mean = (list, key) => list.reduce((sum, step) => sum + step[key], 0) / list.length;
const row = (name, key) => {
  const shown = [early, warm, late].map((list) => {
    const { median, min, max } = statistics(list.map((step) => step[key]));
    return `${median.toFixed(2)} (mean ${mean(list, key).toFixed(2)}, ${min.toFixed(2)}–${max.toFixed(2)})`;
  });
  const ratios = [early, warm].map((list) => (mean(late, key) / mean(list, key)).toFixed(2));
  console.log(`| ${[name, ...shown, ...ratios].join(" | ")} |`);
};
const largest = Math.max(...requests.map(({ tokens }) => tokens));
console.log(
  `node ${process.version}: ${result.subtype}, ${result.numSteps} steps in ${seconds.toFixed(1)} s`,
);
console.log(
  `requests ${requests.length}, largest ${largest} tokens of ${WINDOW_TOKENS}; results cleared ${counts.cleared} in ${counts.edits} edits; summaries ${counts.summaries}`,
);
console.log(
  "| ms a step: median (mean, min–max) | around step 10 | around step 100 | last 14 steps | last ÷ 10 | last ÷ 100 |",
);
console.log("|---|---|---|---|---|---|");
row("clock, server and tool included", "wall");
row("CPU of the process, tool included", "cpu");
row("before the request is sent: fit, budget", "own");
const bytes = (list) => statistics(list.map((request) => request.bytes)).median;
console.log(
  `request bytes, median: ${bytes(requests.slice(3, 17))} around step 10, ${bytes(requests.slice(-14))} at the end`,
);
process.exit(result.isError || largest > WINDOW_TOKENS ? 1 : 0);

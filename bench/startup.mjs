// The whole run (start, read a 4 KB file by a tool, answer: two model calls) of RuiZN against the same run as a script
// on the SDK. Both in one go, A B A B, against one loopback double in a process of its own.
//
//   node bench/startup.mjs [--rounds 20] [--node PATH] [--against DIST] [--out FILE.json]
//
// Needs `npm run build`. `--against` adds another built dist folder as a third contender, to compare two builds.
import { execFileSync, fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { statistics } from "./lib/statistics.mjs";
import { ANSWER, GOAL, readme } from "./lib/task.mjs";

const WARM_UP_ROUNDS = 2;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    node: { type: "string", default: process.execPath },
    against: { type: "string" },
    out: { type: "string" },
  },
});

const scratch = mkdtempSync(join(os.tmpdir(), "ruizn-bench-"));
const server = await startDouble();
try {
  const contenders = await prepare();
  const samples = await measureAll(contenders, Number(options.rounds));
  const result = summarise(samples);
  writeResult(result);
  process.stdout.write(table(result));
} finally {
  server.child.disconnect();
  rmSync(scratch, { recursive: true, force: true });
}

async function startDouble() {
  const child = fork(here("lib/double-process.mjs"), { execArgv: [] });
  const requests = [];
  const url = await new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`the double ended with code ${code}`)));
    child.on("message", (message) => (message.url ? done(message.url) : requests.push(message)));
  });
  return { child, url, requests };
}

async function prepare() {
  const floor = join(scratch, "floor-sdk.mjs");
  await build({
    entryPoints: [here("floor/sdk.mjs")],
    outfile: floor,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
  });
  const run = (bin) => [bin, "run", "--goal", GOAL];
  return {
    floor: [floor, GOAL],
    ruizn: run(here("../dist/bin/ruizn.js")),
    ...(options.against && { against: run(join(resolve(options.against), "bin/ruizn.js")) }),
  };
}

async function measureAll(contenders, rounds) {
  const samples = Object.fromEntries(Object.keys(contenders).map((name) => [name, []]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    for (const [name, args] of Object.entries(contenders)) {
      const sample = await measureOnce(name, args);
      if (round >= 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** One run in a fresh workspace; anything but the right answer after the file was read makes the benchmark fail. */
async function measureOnce(name, args) {
  const workspace = mkdtempSync(join(scratch, "ws-"));
  writeFileSync(join(workspace, "README.md"), readme());
  server.requests.length = 0;
  const child = spawn(options.node, [here("lib/measured.cjs"), options.node, ...args], {
    cwd: workspace,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    env: {
      PATH: process.env.PATH,
      HOME: scratch,
      ANTHROPIC_API_KEY: "bench",
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_MODEL: "claude-sonnet-5-5",
    },
  });
  const [out, notes, cost] = await Promise.all([1, 2, 3].map((fd) => textOf(child.stdio[fd])));
  const usage = JSON.parse(cost);
  const [first, second] = server.requests;
  const whole = usage.status === 0 && server.requests.length === 2 && second.hasFile && out.trim() === ANSWER;
  if (!whole)
    throw new Error(
      `${name} did not do the job:\n${cost}\n${JSON.stringify(server.requests)}\n${out}\n${notes}`,
    );
  rmSync(workspace, { recursive: true });
  return {
    wall_ms: usage.wallMs,
    cpu_ms: usage.cpuMs,
    max_rss_mb: usage.maxRssKb / 1_024,
    first_request_ms: first.at - usage.startedAt,
    tool_turn_ms: second.at - first.at,
  };
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

function summarise(samples) {
  const measures = Object.keys(samples.floor[0]);
  const contenders = Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      Object.fromEntries(
        measures.map((measure) => [measure, statistics(list.map((sample) => sample[measure]))]),
      ),
    ]),
  );
  const ratios = Object.fromEntries(
    Object.entries(samples).map(([name, list]) => [
      name,
      Object.fromEntries(
        measures.map((measure) => [
          measure,
          statistics(list.map((sample, index) => sample[measure] / samples.floor[index][measure])),
        ]),
      ),
    ]),
  );
  return { machine: machine(), contenders, ratios_to_floor: ratios };
}

function machine() {
  const [cpu] = os.cpus();
  return {
    cpu: `${os.cpus().length} × ${cpu?.model ?? "unknown"}`,
    system: `${os.type()} ${os.release()}, ${os.arch()}`,
    node: execFileSync(options.node, ["--version"], { encoding: "utf8" }).trim(),
  };
}

function writeResult(result) {
  const file = options.out ?? here(`results/startup-${result.machine.node}.json`);
  mkdirSync(resolve(file, ".."), { recursive: true });
  writeFileSync(file, `${JSON.stringify(result, undefined, 2)}\n`);
}

function table({ machine: on, contenders, ratios_to_floor: ratios }) {
  const cell = ({ median, min, max }, digits) =>
    `${median.toFixed(digits)} (${min.toFixed(digits)}–${max.toFixed(digits)})`;
  const rows = Object.entries(contenders).map(([name, of]) =>
    [
      name,
      of.wall_ms.n,
      cell(of.wall_ms, 0),
      cell(of.cpu_ms, 0),
      cell(of.max_rss_mb, 0),
      cell(of.first_request_ms, 0),
      cell(of.tool_turn_ms, 0),
      cell(ratios[name].wall_ms, 2),
      cell(ratios[name].cpu_ms, 2),
    ].join(" | "),
  );
  return [
    `${on.cpu}, ${on.system}, Node ${on.node}. Median (min–max); ratios are of the runs of the same round.`,
    "",
    "| | n | wall ms | CPU ms | max RSS MB | exec → first request ms | first → second request ms | wall ÷ floor | CPU ÷ floor |",
    "|---|---|---|---|---|---|---|---|---|",
    ...rows.map((row) => `| ${row} |`),
    "",
  ].join("\n");
}

// RuiZN's command and the floor script (bench/floor/sdk.mjs, bundled), each run as a process against one double.
import { fork, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { ANSWER, fileName, GOAL, readme } from "./task.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const COMMAND = here("../../dist/bin/ruizn.js");

/** @returns `run(name)`, one whole run in a fresh workspace; `spawn(name)`, one that is still going; `close()`. */
export async function startContenders({ calls = 1, thinkMs = 0 } = {}) {
  const scratch = mkdtempSync(join(os.tmpdir(), "ruizn-bench-"));
  const double = await startDouble([String(calls), String(thinkMs)]);
  const args = {
    floor: [await bundledFloor(scratch), GOAL],
    ruizn: [COMMAND, "run", "--goal", GOAL, "--max-steps", String(calls + 5)],
  };
  const start = (command) => {
    const workspace = mkdtempSync(join(scratch, "ws-"));
    for (let call = 0; call < calls; call += 1) writeFileSync(join(workspace, fileName(call)), readme());
    double.requests.length = 0;
    const env = {
      PATH: process.env.PATH,
      HOME: scratch,
      ANTHROPIC_API_KEY: "bench",
      ANTHROPIC_BASE_URL: double.url,
      ANTHROPIC_MODEL: "claude-sonnet-5-5",
    };
    const stdio = ["ignore", "pipe", "pipe", "pipe"];
    const child = spawn(process.execPath, command, { cwd: workspace, stdio, env });
    return { child, workspace, texts: Promise.all([1, 2, 3].map((fd) => textOf(child.stdio[fd]))) };
  };
  return {
    requests: double.requests,
    spawn: (name) => start(args[name]),
    async run(name) {
      const { workspace, texts } = start([here("measured.cjs"), process.execPath, ...args[name]]);
      const [out, notes, cost] = await texts;
      const sample = sampleOf(name, { out, notes, cost, requests: double.requests, calls });
      rmSync(workspace, { recursive: true });
      return sample;
    },
    close() {
      double.child.disconnect();
      rmSync(scratch, { recursive: true, force: true });
    },
  };
}

async function startDouble(args) {
  const child = fork(here("double-process.mjs"), args, { execArgv: [] });
  const requests = [];
  const url = await new Promise((done, failed) => {
    child.once("error", failed);
    child.once("exit", (code) => failed(new Error(`the double ended with code ${code}`)));
    child.on("message", (message) => (message.url ? done(message.url) : requests.push(message)));
  });
  return { child, url, requests };
}

async function bundledFloor(scratch) {
  mkdirSync(scratch, { recursive: true });
  const outfile = join(scratch, "floor-sdk.mjs");
  await build({
    entryPoints: [here("../floor/sdk.mjs")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20.19",
    logLevel: "warning",
  });
  return outfile;
}

/** Anything but the right answer after every file was read makes the benchmark fail. */
function sampleOf(name, { out, notes, cost, requests, calls }) {
  const usage = JSON.parse(cost || "{}");
  const whole = usage.status === 0 && requests.length === calls + 1 && out.trim() === ANSWER;
  if (!whole || !requests.at(-1).hasFile)
    throw new Error(`${name} did not do the job:\n${cost}\n${JSON.stringify(requests)}\n${out}\n${notes}`);
  return {
    wall: usage.wallMs,
    cpu: usage.cpuMs,
    rss: usage.maxRssKb / 1_024,
    first: requests[0].at - usage.startedAt,
    turns: requests.slice(1).map(({ at, repliedAt }) => at - repliedAt),
  };
}

async function textOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

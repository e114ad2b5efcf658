// Kills tool hosts from outside at random moments of a scripted run, with SIGKILL or SIGSTOP: no call may be lost, each
// ends with an error type that is right, and the run comes to its end.
// node bench/host-kills.mjs [kills=200] [seed]
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { AgentRunner } from "../dist/src/runner/agent-runner.js";
import { AnthropicProvider } from "../dist/src/provider/anthropic/anthropic-provider.js";
import { readTools } from "../dist/src/tools/built-in.js";
import { startMessagesDouble, text, turn } from "../dist/src/testing.js";
import { verifyLog } from "../dist/src/log/verify-log.js";
import { scratchFolder } from "./lib/scratch.mjs";

const [killsWanted = "200", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const STEPS = 20;
const CALLS_A_STEP = 3;
const TOOL_TIMEOUT_MS = 1_500;
/** How a call may end whose host was killed (worker_crash) or stopped (timeout); null is a result. */
const RIGHT = [null, "worker_crash", "timeout"];

const base = join(scratchFolder(), "workspace");
mkdirSync(base);
writeFileSync(join(base, "a.txt"), "alpha\n".repeat(1_000));
const counts = {
  seed,
  kills: 0,
  stops: 0,
  runs: 0,
  calls: 0,
  results: 0,
  worker_crash: 0,
  timeout: 0,
  wrong: [],
};
const random = randomFrom(seed);
while (counts.kills + counts.stops < Number(killsWanted)) await oneRun();
console.log(JSON.stringify(counts));
process.exitCode = counts.wrong.length > 0 ? 1 : 0;

async function oneRun() {
  let step = 0;
  const calls = () =>
    Array.from({ length: CALLS_A_STEP }, () => ({
      type: "tool_use",
      name: "read_file",
      input: { path: "a.txt" },
    }));
  const double = await startMessagesDouble({ script: () => (step++ < STEPS ? turn(calls()) : text("done")) });
  const runner = new AgentRunner({
    goal: "go",
    workspace: base,
    provider: new AnthropicProvider({ model: "claude-test", apiKey: "k", baseUrl: double.url }),
    tools: readTools(),
    policy: { decide: () => ({ allowed: true }) },
    seal: "try",
    isolation: "process",
    toolTimeoutMs: TOOL_TIMEOUT_MS,
    maxSteps: STEPS + 2,
    log: {},
  });
  const over = new AbortController();
  const running = runner.run().finally(() => over.abort());
  await Promise.all([running, attack(over.signal)]);
  judge(await running);
  counts.runs += 1;
  await double.close();
}

/** One host at a time; a stopped one is ended by the call's deadline. */
async function attack(signal) {
  while (!signal.aborted) {
    await sleep(random() * 500);
    const hosts = children();
    const pid = hosts[Math.floor(random() * hosts.length)];
    if (pid === undefined || signal.aborted) continue;
    const name = random() < 0.8 ? "SIGKILL" : "SIGSTOP";
    try {
      process.kill(pid, name);
      counts[name === "SIGKILL" ? "kills" : "stops"] += 1;
    } catch {
      // It has just ended by itself.
    }
  }
}

function judge(result) {
  const events = readFileSync(join(result.runDir, "events.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  const started = events.filter(({ type }) => type === "tool_call.started");
  const finished = events.filter(({ type }) => type === "tool_call.finished");
  counts.calls += finished.length;
  for (const { error_type: type, duration_ms: ms } of finished) {
    counts[type ?? "results"] = (counts[type ?? "results"] ?? 0) + 1;
    if (!RIGHT.includes(type)) counts.wrong.push(`a call ended as ${type}`);
    if (ms > TOOL_TIMEOUT_MS + 500) counts.wrong.push(`a call took ${ms} ms`);
  }
  if (started.length !== STEPS * CALLS_A_STEP || finished.length !== started.length)
    counts.wrong.push(`${started.length} calls, ${finished.length} answered`);
  if (result.subtype !== "success" || result.result !== "done")
    counts.wrong.push(`the run ended as ${result.subtype}: ${JSON.stringify(result.errors)}`);
  const { problems } = verifyLog(result.runDir);
  if (problems.length > 0) counts.wrong.push(`the log: ${JSON.stringify(problems)}`);
}

function children() {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").trim().split(" "))
    .filter((pid) => pid !== "")
    .map(Number);
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(from) {
  let n = 0;
  return () => createHash("sha256").update(`${from} ${n++}`).digest().readUInt32BE() / 2 ** 32;
}

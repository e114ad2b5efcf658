// A scripted run of thirty steps, killed with SIGKILL at random moments and resumed to its end, perhaps killed again on
// the way. Whatever the moment, the files and the final message list must be those of a run that nobody killed.
// node bench/kill-resume.mjs [runs=300] [at once=2] [seed]
import { fork, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { eventsOf, readEvents } from "../dist/src/events/event-reader.js";
import { rebuild } from "../dist/src/log/rebuild.js";
import { verifyLog } from "../dist/src/log/verify-log.js";
import { scratchFolder } from "./lib/scratch.mjs";
import { fillWorkspace, LAST_STEP } from "./lib/thirty-steps.mjs";

const BIN = fileURLToPath(new URL("../dist/bin/ruizn.js", import.meta.url));
const [runs = "300", atOnce = "2", seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
const KILLS_MAX = 5;
const FLAGS = ["--sandbox", "workspace-write", "--max-steps", "40", "--resume-writes", "repeat"];

const base = scratchFolder();
mkdirSync(join(base, "home"));
const doubles = fork(fileURLToPath(new URL("lib/scripted-double.mjs", import.meta.url)));
const answers = new Map();
doubles.on("message", (message) => answers.get(message.id)?.(message));
const ask = (message) =>
  new Promise((resolve) => {
    answers.set(message.start ?? message.stop, resolve);
    doubles.send(message);
  });

/** Numbers from 0 to 1, the same for the same seed. */
function randomFrom(text) {
  let n = 0;
  return () => createHash("sha256").update(`${text} ${n++}`).digest().readUInt32BE() / 2 ** 32;
}

/** One process of the command, killed `killAfterMs` after it has said that the run goes. */
function runOnce({ cwd, url, args, killAfterMs, fromStart }) {
  return new Promise((resolve, reject) => {
    const env = {
      PATH: process.env.PATH,
      HOME: join(base, "home"),
      TMPDIR: base,
      ANTHROPIC_API_KEY: "k",
      ANTHROPIC_BASE_URL: url,
    };
    const child = spawn(process.execPath, [BIN, "run", ...args], {
      cwd,
      env,
      stdio: ["ignore", "ignore", "pipe"],
    });
    let told = "";
    let wentAt;
    let timer;
    const begin = () => {
      if (killAfterMs !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), killAfterMs);
    };
    if (fromStart) begin();
    child.stderr.setEncoding("utf8").on("data", (text) => {
      told += text;
      if (wentAt !== undefined || !told.includes("[run] ")) return;
      wentAt = performance.now();
      if (!fromStart) begin();
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, told, ms: wentAt === undefined ? 0 : performance.now() - wentAt });
    });
  });
}

function filesOf(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith(".ruizn/"));
  return names.toSorted().map(
    (name) =>
      `${name} ${createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")}`,
  );
}

const runPath = (cwd) => {
  const folder = join(cwd, ".ruizn", "runs");
  const [id] = existsSync(folder) ? readdirSync(folder) : [];
  return id === undefined ? undefined : join(folder, id);
};

/** What a run came to, and whether its log is one that a whole run leaves. */
function outcome(cwd) {
  const path = runPath(cwd);
  const events = [...eventsOf(readEvents(path))].map(({ event }) => event);
  const { context, open, finished } = rebuild(eventsOf(readEvents(path)));
  const count = (type, also = () => true) =>
    events.filter((event) => event.type === type && also(event)).length;
  const answered = events.filter(({ type, superseded }) => type === "tool_call.finished" && !superseded);
  const faults = [
    ...verifyLog(path).problems.map(({ kind, line }) => `${kind} in line ${line}`),
    ...(open.length > 0 ? ["open calls"] : []),
    ...(finished?.status !== "success" || events.at(-1)?.type !== "run.finished" ? ["no end"] : []),
    ...(count("tool_call.started") !== count("tool_call.finished") ? ["a call without its end"] : []),
    ...(count("step.started") !== LAST_STEP || count("step.finished") !== LAST_STEP ? ["steps"] : []),
    ...(new Set(answered.map(({ call_id }) => call_id)).size !== answered.length ? ["answered twice"] : []),
  ];
  const again = count("tool_call.finished", ({ superseded }) => superseded === true);
  const writesAgain = count(
    "tool_call.started",
    ({ attempt, read_only }) => attempt > 1 && read_only !== true,
  );
  const withdrawn = count("llm.withdrawn");
  const torn = readdirSync(path).filter((name) => name.startsWith("events.torn-")).length;
  return {
    messages: JSON.stringify(context.messages),
    files: filesOf(cwd),
    faults,
    again,
    writesAgain,
    withdrawn,
    torn,
  };
}

async function inWorkspace(id, work) {
  const cwd = join(base, id);
  mkdirSync(cwd);
  fillWorkspace(cwd);
  const { url } = await ask({ start: id });
  try {
    return await work({ cwd, url });
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

const GOAL = ["--goal", "Do the thirty steps", ...FLAGS.slice(0, 4)];
const reference = await inWorkspace("reference", async ({ cwd, url }) => {
  const { code, told, ms } = await runOnce({ cwd, url, args: GOAL });
  const stats = await ask({ stop: "reference" });
  const result = { ...outcome(cwd), ms };
  if (code !== 0 || result.faults.length > 0 || stats.refused.length > 0) {
    throw new Error(
      `the run that nobody kills failed: ${JSON.stringify({ code, told, faults: result.faults, stats })}`,
    );
  }
  return result;
});

const total = {
  runs: 0,
  kills: 0,
  ended_before_the_kill: 0,
  after_the_end: 0,
  before_the_first_event: 0,
  equal: 0,
  requests: 0,
  refused: 0,
};
Object.assign(total, { calls_made_again: 0, writes_made_again: 0, responses_withdrawn: 0, torn_lines: 0 });
const failures = [];

async function killedRun(number) {
  const random = randomFrom(`${seed} ${number}`);
  await inWorkspace(`run-${number}`, async ({ cwd, url }) => {
    let kills = 0;
    for (;;) {
      const path = runPath(cwd);
      const begun = path !== undefined && verifyLog(path).end.events > 0;
      if (path !== undefined && !begun) rmSync(join(cwd, ".ruizn"), { recursive: true });
      const args = begun ? ["--resume", path.split("/").at(-1), ...FLAGS] : GOAL;
      const kill = kills === 0 || (kills < KILLS_MAX && random() < 0.4);
      const fromStart = random() < 0.1;
      const killAfterMs = kill ? random() * reference.ms : undefined;
      const { code, signal, told } = await runOnce({ cwd, url, args, killAfterMs, fromStart });
      if (signal === "SIGKILL") {
        kills += 1;
        if (runPath(cwd) !== undefined && verifyLog(runPath(cwd)).whole) {
          // Its end was written, and only the process was still there: nothing to go on with, all to be judged.
          total.kills += kills;
          total.after_the_end += 1;
          judge({ number, cwd, code: 0, told }, await ask({ stop: `run-${number}` }));
          return;
        }
        if (runPath(cwd) === undefined || verifyLog(runPath(cwd)).end.events === 0)
          total.before_the_first_event += 1;
        continue;
      }
      if (kills === 0 && code === 0) {
        // Too late: this one says nothing.
        total.ended_before_the_kill += 1;
        rmSync(cwd, { recursive: true });
        mkdirSync(cwd);
        fillWorkspace(cwd);
        continue;
      }
      total.kills += kills;
      judge({ number, cwd, code, told }, await ask({ stop: `run-${number}` }));
      return;
    }
  });
}

function judge({ number, cwd, code, told }, stats) {
  const result = outcome(cwd);
  const wrong = [
    ...(code === 0 ? [] : [`exit code ${code}: ${told}`]),
    ...result.faults,
    ...(result.messages === reference.messages ? [] : ["another message list"]),
    ...(result.files.join() === reference.files.join() ? [] : ["other files"]),
    ...(stats.refused.length === 0 ? [] : [`refused: ${stats.refused[0]}`]),
  ];
  total.runs += 1;
  total.requests += stats.requests;
  total.refused += stats.refused.length;
  total.calls_made_again += result.again;
  total.writes_made_again += result.writesAgain;
  total.responses_withdrawn += result.withdrawn;
  total.torn_lines += result.torn;
  if (wrong.length === 0) total.equal += 1;
  else failures.push({ number, wrong });
}

let next = 0;
const lane = async () => {
  for (let number = next++; number < Number(runs); number = next++) await killedRun(number);
};
await Promise.all(Array.from({ length: Number(atOnce) }, lane));
doubles.disconnect();
console.log(
  JSON.stringify({ seed, reference_ms: Math.round(reference.ms), ...total, failures: failures.slice(0, 10) }),
);
process.exitCode = total.equal === Number(runs) ? 0 : 1;

// Calls one hostile tool again and again until its deadline: `node deadline-case.mjs KIND TIER CALLS TIMEOUT_MS`. Prints
// how late each call came back and, for threads and hosts that are ended, how long after the deadline they were gone.
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastExit } from "../../dist/src/sandbox/last-exit.js";
import { BaseTool } from "../../dist/src/tools/base-tool.js";
import { startTools } from "./tools.mjs";

/** A spare has to be up before a deadline, or its start is taken for a thread that stays. */
const SETTLE_MS = 150;
const GONE_MAX_MS = 1_000;

class HostileTool extends BaseTool {
  description = "hostile";
  inputSchema = { type: "object" };
  annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  profile = "read";

  constructor(name) {
    super();
    this.name = name;
    this.module = new URL(`../../test/fixtures/hostile/${name}.js`, import.meta.url).href;
  }
}

const [kind, tier, calls, timeout] = process.argv.slice(2);
const timeoutMs = Number(timeout);
const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-bench-")));
const fifo = join(root, "fifo");
execFileSync("mkfifo", [fifo]);
const tools = await startTools(root, {
  isolation: tier,
  tools: [new HostileTool(kind), new HostileTool("echo")],
});
await tools.call("echo", {});

const samples = [];
for (let n = 0; n < Number(calls); n += 1) {
  await sleep(SETTLE_MS);
  const atRest = threads();
  const hosts = children();
  const startedAt = performance.now();
  const deadlineAt = startedAt + timeoutMs;
  const result = await tools.call(kind, { fifo, file: join(root, "beat"), waitMs: 50 }, { timeoutMs });
  const late = performance.now() - deadlineAt;
  const gone = tier === "thread" ? await threadGone(atRest, deadlineAt) : await hostGone(hosts, deadlineAt);
  samples.push({ ended: result.errorType ?? "result", late, gone });
}
process.stdout.write(JSON.stringify(samples), () => {
  rmSync(root, { recursive: true, force: true });
  // A thread stuck in a system call would hold up any other way out.
  lastExit(0);
});

function threads() {
  return readdirSync("/proc/self/task").length;
}

function children() {
  return readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
  );
}

/** The call had the spare; a new one has taken its place. So what is there is what was there when the thread is gone. */
function threadGone(count, deadlineAt) {
  return momentOf(() => threads() <= count, deadlineAt);
}

/** `null` when no host had to be ended: its thread could be. */
function hostGone(hosts, deadlineAt) {
  return momentOf(() => !hosts.every((pid) => existsSync(`/proc/${pid}/exe`)), deadlineAt);
}

async function momentOf(holds, deadlineAt) {
  while (!holds()) {
    if (performance.now() - deadlineAt > GONE_MAX_MS) return null;
    await sleep(1);
  }
  return performance.now() - deadlineAt;
}

// One hostile tool body in a process of its own: `node hostile-case.mjs KIND SEAL TIMEOUT_MS REPORT ISOLATION`. The report is a
// file, because the body may take stdout away, and none is left when the process died.
import { execFileSync } from "node:child_process";
import {
  fstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { lastExit } from "../dist/src/sandbox/last-exit.js";
import { ToolPool } from "../dist/src/sandbox/tool-pool.js";
import { BaseTool } from "../dist/src/tools/base-tool.js";
import { invokeTool } from "../dist/src/tools/invoke-tool.js";
import { ToolRegistry } from "../dist/src/tools/tool-registry.js";

class HostileTool extends BaseTool {
  description = "hostile";
  inputSchema = { type: "object" };
  annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  profile = "read";

  constructor(name) {
    super();
    this.name = name;
    this.module = new URL(`../test/fixtures/hostile/${name}.js`, import.meta.url).href;
  }
}

const [kind, seal, timeoutMs, reportFile, isolation] = process.argv.slice(2);
const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-hostile-")));
const fifo = join(root, "fifo");
execFileSync("mkfifo", [fifo]);
// The first pool starts what every later one finds there: libuv's threads.
const idle = new ToolPool({ root, seal, isolation });
await idle.check();
await idle.close();
await sleep(100);
const threadsBefore = threads();
const pool = new ToolPool({ root, seal, isolation });
const deps = {
  registry: new ToolRegistry([new HostileTool(kind), ...(kind === "echo" ? [] : [new HostileTool("echo")])]),
  pool,
  policy: { decide: () => ({ allowed: true }) },
  signal: new AbortController().signal,
  timeoutMs: Number(timeoutMs),
};
const call = (name, input = {}) => invokeTool({ id: "call", name, input }, deps);

const checked = await pool.check();
const first = await call(kind, { fifo, file: join(root, "beat"), waitMs: 100 });
const next = await call("echo", { again: true });
await pool.close();

writeFileSync(
  reportFile,
  JSON.stringify({
    seal: checked.state,
    ended: first.errorType ?? "result",
    message: first.content.map((block) => block.text).join(" "),
    ms: Math.round(first.durationMs),
    next_works: next.content[0].text === '{"again":true}',
    left: {
      children: childrenLeft(),
      threads: await threadsLeft(threadsBefore),
      descriptors_closed: closedDescriptors(),
    },
  }),
);
rmSync(root, { recursive: true, force: true });
// A thread stuck in a system call would hold up any other way out.
lastExit(0);

function childrenLeft() {
  return readdirSync("/proc/self/task")
    .flatMap((task) => readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" "))
    .filter((pid) => pid && readFileSync(`/proc/${pid}/cmdline`, "utf8") !== "").length;
}

function threads() {
  return readdirSync("/proc/self/task").length;
}

/** Waits for threads that are on their way out; what is left after a second stays. */
async function threadsLeft(before) {
  for (let tries = 0; tries < 50 && threads() > before; tries++) await sleep(20);
  return Math.max(0, threads() - before);
}

function closedDescriptors() {
  return [0, 1, 2].filter((fd) => {
    try {
      fstatSync(fd);
      return false;
    } catch {
      return true;
    }
  });
}

// One hostile tool body in a process of its own: `node hostile-case.mjs KIND SEAL TIMEOUT_MS REPORT`. The report is a
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

const [kind, seal, timeoutMs, reportFile] = process.argv.slice(2);
const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-hostile-")));
const fifo = join(root, "fifo");
execFileSync("mkfifo", [fifo]);
const pool = new ToolPool({ root, seal });
const deps = {
  registry: new ToolRegistry([new HostileTool(kind), ...(kind === "echo" ? [] : [new HostileTool("echo")])]),
  pool,
  policy: { decide: () => ({ allowed: true }) },
  signal: new AbortController().signal,
  timeoutMs: Number(timeoutMs),
};
const call = (name, input = {}) => invokeTool({ id: "call", name, input }, deps);

// What every process has: libuv's threads, and one worker that was checked.
const checked = await pool.check();
const first = await call(kind, { fifo, file: join(root, "beat"), waitMs: 100 });
const next = await call("echo", { again: true });
await pool.close();
await new Promise((resolve) => setTimeout(resolve, 50));

writeFileSync(
  reportFile,
  JSON.stringify({
    seal: checked.state,
    ended: first.errorType ?? "result",
    message: first.content.map((block) => block.text).join(" "),
    ms: Math.round(first.durationMs),
    next_works: next.content[0].text === '{"again":true}',
    left: { children: childrenLeft(), threads: workersLeft(), descriptors_closed: closedDescriptors() },
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

/** Threads beyond those that a process without a worker has: Node's own four, libuv's four and the main thread. */
function workersLeft() {
  const before = Number(process.env.RUIZN_BENCH_THREADS ?? 0);
  const now = readdirSync("/proc/self/task").length;
  return before === 0 ? now : now - before;
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

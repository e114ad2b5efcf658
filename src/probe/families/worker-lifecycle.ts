import { family, type CaseRow, type ProbeCase } from "../case.ts";
import { hostile, type HostileOptions } from "../hostile-row.ts";
import type { Stage } from "../stage.ts";

const DEAD: HostileOptions = { outcomes: ["worker_crash", "runtime_error"], call: { timeoutMs: 1_500 } };
const life = (id: string, title: string, code: string, options: HostileOptions = DEAD) =>
  hostile(id, title, code, {
    heldBy: "a thread of its own for each call, in a process of its own",
    then: nextWorks,
    ...options,
  });

/** The next call of the same tool finds a worker that nothing has touched. */
async function nextWorks(stage: Stage): Promise<void> {
  const { errorType } = await stage.attack("return 'ok';", { timeoutMs: 8_000 });
  stage.holds(errorType === null, `the tool's next call failed: ${errorType}`);
}

/** In a thread of the harness's own process this would be the harness's end. */
const inProcessOnly = ({ options }: Stage): string | undefined =>
  options.isolation === "thread"
    ? "in a thread it would end the harness itself, which is no tool"
    : undefined;

const LOADS: CaseRow[] = (
  [
    ["throws while it loads", "throw new Error('boom');", ["runtime_error", "worker_crash"]],
    ["does not parse", "export default {", ["runtime_error"]],
    ["exports nothing", "", ["runtime_error"]],
    [
      "waits for ever while it loads",
      "await new Promise(() => {}); export default () => 1;",
      ["timeout", "worker_crash"],
    ],
    ["loops while it loads", "for (;;);", ["timeout"]],
    ["ends its worker while it loads", "process.exit(0);", ["worker_crash"]],
    [
      "exports a getter that throws",
      "export default new Proxy({}, { get() { throw 1; } });",
      ["runtime_error"],
    ],
    ["exports a class", "export default class { invoke() {} }", ["runtime_error"]],
    ["loads itself", "export { default } from './loads_8.mjs';", ["runtime_error"]],
  ] as const
).map(([title, source, outcomes], index) => ({
  id: `WL-004${"abcdefghi"[index]}`,
  title: `is a module that ${title}`,
  run: async (stage) => {
    const tool = stage.hostile.module(`loads_${index}`, source);
    stage.expects(await stage.call(tool, { code: "" }, { timeoutMs: 1_500 }), outcomes);
  },
}));

const THROWS: CaseRow[] = (
  [
    ["null", "throw null;"],
    ["undefined", "throw undefined;"],
    ["a function", "throw () => 1;"],
    ["a symbol", "throw Symbol('s');"],
    ["an error whose message throws", "throw { get message() { throw 1; } };"],
    ["a proxy", "throw new Proxy({}, { get() { throw 2; } });"],
    ["an error of 10 MB", "throw new Error('x'.repeat(1e7));"],
    ["a revoked proxy", "const r = Proxy.revocable({}, {}); r.revoke(); throw r.proxy;"],
    [
      "an error that says it is ours",
      "throw Object.assign(new Error('x'), { name: 'ToolFailure', errorType: 'ESCAPED', data: { a: 1n } });",
    ],
  ] as const
).map(([what, code], index) =>
  life(`WL-005${"abcdefghi"[index]}`, `throws ${what}`, code, {
    outcomes: ["runtime_error"],
    call: { timeoutMs: 1_500 },
  }),
);

export const WORKER_LIFECYCLE_CASES: readonly ProbeCase[] = family(
  "worker-lifecycle",
  { claim: "availability", layers: [] },
  [
    life("WL-001", "leaves with exit code 0", "process.exit(0);", { ...DEAD, outcomes: ["worker_crash"] }),
    life("WL-001b", "leaves by reallyExit", "process.reallyExit(0);"),
    life(
      "WL-002",
      "kills its own process",
      "process.kill(process.pid, 'SIGKILL'); await new Promise(() => {});",
      {
        ...DEAD,
        outcomes: ["worker_crash", "runtime_error"],
        notHere: inProcessOnly,
      },
    ),
    life("WL-003", "aborts", "process.abort();", { ...DEAD, notHere: inProcessOnly }),
    ...LOADS,
    ...THROWS,
    life(
      "WL-006",
      "throws after it has answered",
      "setTimeout(() => { throw new Error('late'); }, 20); return 'early';",
      {
        outcomes: ["ok"],
        then: nextWorks,
      },
    ),
    life(
      "WL-007",
      "rejects after it has answered",
      "new Promise((_, no) => setTimeout(() => no(new Error('late')), 20)); return 'ok';",
      {
        outcomes: ["ok"],
      },
    ),
    life("WL-008", "never settles", "await new Promise(() => {});", {
      outcomes: ["timeout"],
      call: { timeoutMs: 500 },
    }),
    life(
      "WL-009",
      "rejects what nobody waits for",
      "Promise.reject(new Error('lost')); await new Promise(() => {});",
      {
        outcomes: ["worker_crash", "timeout"],
        call: { timeoutMs: 500 },
      },
    ),
    life(
      "WL-010",
      "leaves a server, a watcher and a timer behind",
      "require('net').createServer().on('error', () => {}).listen(0); try { require('fs').watch('.'); } catch {} setInterval(() => {}, 1); return 'ok';",
      {
        outcomes: ["ok", "worker_crash", "runtime_error"],
      },
    ),
    life(
      "WL-011",
      "crashes in a finaliser",
      "new FinalizationRegistry(() => { throw new Error('fin'); }).register({}, 1); return 'ok';",
      {
        outcomes: ["ok"],
      },
    ),
    life(
      "WL-012",
      "loads a native addon that is none",
      "process.dlopen({ exports: {} }, process.execPath);",
      {
        outcomes: ["runtime_error", "worker_crash"],
      },
    ),
    life(
      "WL-013",
      "hides its errors from the worker",
      "process.on('uncaughtException', () => {}); process.on('unhandledRejection', () => {}); setTimeout(() => { throw 1; }, 1); await new Promise(() => {});",
      {
        outcomes: ["timeout", "worker_crash"],
        call: { timeoutMs: 500 },
      },
    ),
    {
      id: "WL-014",
      title: "is stuck while the run ends",
      run: async (stage) => {
        const abort = new AbortController();
        const call = stage.attack("for (;;);", { timeoutMs: 20_000, signal: abort.signal });
        setTimeout(() => abort.abort(), 300);
        const startedAt = performance.now();
        stage.expects(await call, ["cancelled"]);
        const tookMs = performance.now() - startedAt;
        if (tookMs > 1_500) stage.degraded(`it took ${Math.round(tookMs)} ms to end it`);
      },
    },
    {
      id: "WL-015",
      title: "crashes twelve times in a row",
      run: async (stage) => {
        for (let crash = 0; crash < 12; crash++)
          stage.expects(await stage.attack("process.exit(1);", { timeoutMs: 8_000 }), ["worker_crash"]);
        await nextWorks(stage);
      },
    },
    life(
      "WL-016",
      "floods the main thread with messages",
      "const { parentPort } = require('worker_threads'); for (;;) parentPort.postMessage('x');",
      {
        outcomes: ["worker_crash", "memory_limit", "timeout"],
        call: { timeoutMs: 1_500 },
      },
    ),
    life(
      "WL-017",
      "closes the port that answers go through",
      "require('worker_threads').parentPort.close(); return 'ok';",
      {
        outcomes: ["ok", "worker_crash", "timeout", "runtime_error"],
        call: { timeoutMs: 1_000 },
      },
    ),
  ],
);

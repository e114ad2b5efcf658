import { family, type ProbeCase } from "../case.ts";
import { hostile, type HostileOptions } from "../hostile-row.ts";

const SOON: HostileOptions = { outcomes: ["timeout"], call: { timeoutMs: 400 } };
const ENDED: HostileOptions = {
  outcomes: ["timeout", "runtime_error", "worker_crash", "memory_limit", "ok"],
  call: { timeoutMs: 400 },
};
const deadline = (id: string, title: string, code: string, options: HostileOptions = SOON) =>
  hostile(id, title, code, { heldBy: "deadline, and the thread or host is ended", ...options });

export const CPU_CASES: readonly ProbeCase[] = family("cpu", { claim: "availability", layers: [] }, [
  deadline("CP-001", "loops without end", "for (;;);"),
  deadline("CP-002", "loops in microtasks", "for (;;) await null;"),
  deadline(
    "CP-003",
    "never lets the event loop turn",
    "const f = () => process.nextTick(f); f(); await new Promise(() => {});",
  ),
  deadline(
    "CP-004",
    "waits for a child that sleeps",
    "require('child_process').execSync('sleep 30021');",
    ENDED,
  ),
  deadline(
    "CP-005",
    "waits for a child that ignores SIGTERM",
    `require('child_process').spawnSync('sh', ['-c', 'trap "" TERM; sleep 30022']); await new Promise(() => {});`,
    ENDED,
  ),
  deadline(
    "CP-006",
    "waits on shared memory",
    "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);",
  ),
  deadline(
    "CP-007",
    "parses a large JSON again and again",
    "const big = '[' + '1,'.repeat(1e6) + '1]'; for (;;) JSON.parse(big);",
  ),
  deadline(
    "CP-007b",
    "derives a key in one long native call",
    "require('crypto').pbkdf2Sync('a', 'b', 5e6, 64, 'sha512'); return 'done';",
    { ...SOON, outcomes: ["timeout", "ok"] },
  ),
  deadline(
    "CP-007c",
    "compresses without end",
    "const b = Buffer.alloc(4e6, 'ab'); for (;;) require('zlib').brotliCompressSync(b);",
  ),
  deadline("CP-008", "loops in finally", "(function f() { try { for (;;); } finally { f(); } })();"),
  deadline("CP-008b", "loops in an exit handler", "process.on('exit', () => { for (;;); }); for (;;);"),
  deadline("CP-009", "backtracks in a pattern", "/^(a+)+$/.test('a'.repeat(60) + '!');"),
  deadline(
    "CP-010",
    "floods the thread pool",
    "for (let i = 0; i < 400; i++) require('crypto').pbkdf2('a', 'b', 2e5, 64, 'sha512', () => {}); await new Promise(() => {});",
  ),
  deadline(
    "CP-011",
    "starts threads that loop",
    "for (let i = 0; i < 8; i++) new (require('worker_threads').Worker)('for(;;);', { eval: true }); await new Promise(() => {});",
    ENDED,
  ),
  deadline(
    "CP-012",
    "ends exactly at its deadline",
    "await new Promise((go) => setTimeout(go, 400)); return 'late';",
    { ...SOON, outcomes: ["timeout", "ok"] },
  ),
  deadline("CP-013", "sorts with a comparison that never ends", "[2, 1, 3].sort(() => { for (;;); });"),
  deadline(
    "CP-014",
    "answers with a getter that loops",
    "return { content: 'x', get data() { for (;;); } };",
  ),
  deadline("CP-015", "answers with a thenable that never is", "return { then() {} };"),
  deadline(
    "CP-016",
    "throws a proxy whose traps loop",
    "throw new Proxy({}, { get() { for (;;); } });",
    ENDED,
  ),
  deadline(
    "CP-017",
    "floods the timers",
    "setInterval(() => {}, 0); for (let i = 0; i < 1e5; i++) setTimeout(() => {}, 1); await new Promise(() => {});",
  ),
  deadline(
    "CP-018",
    "loops in WebAssembly",
    "const bytes = Uint8Array.from([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,102,0,0,10,9,1,7,0,3,64,12,0,11,11]); new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.f();",
  ),
  deadline(
    "CP-019",
    "multiplies large numbers",
    "let n = 3n; for (;;) n = (n * n) % (1n << 4000000n);",
    ENDED,
  ),
]);

import { family, type ProbeCase } from "../case.ts";
import { hostile, type HostileOptions } from "../hostile-row.ts";

const GONE = ["memory_limit", "worker_crash", "timeout", "runtime_error"] as const;
const full = (id: string, title: string, code: string, options: HostileOptions = {}) =>
  hostile(id, title, code, {
    heldBy: "heap limit, memory watch, the kernel's limits on the host, deadline",
    outcomes: GONE,
    call: { timeoutMs: 1_500 },
    ...options,
  });

export const MEMORY_CASES: readonly ProbeCase[] = family(
  "memory",
  { claim: "availability", layers: [], alone: true },
  [
    full(
      "ME-001",
      "keeps many small objects",
      "const a = []; for (;;) a.push(new Array(10000).fill(Math.random()));",
    ),
    full("ME-002", "grows one array", "const a = []; for (;;) a.push(a.length);"),
    full("ME-003", "grows one map", "const m = new Map(); for (let i = 0; ; i++) m.set(i, i);"),
    full("ME-004", "parses a huge JSON", "JSON.parse('[' + '1,'.repeat(5e7) + '1]'); return 'ok';"),
    full("ME-005", "splits a huge text", "return 'a,'.repeat(5e7).split(',').length;"),
    full("ME-006", "doubles a text", "let t = 'x'; for (;;) { t += t; Buffer.from(t); }", {
      outcomes: [...GONE, "ok"],
    }),
    full("ME-007", "fills buffers beside the heap", "const a = []; for (;;) a.push(Buffer.alloc(2e7, 1));"),
    full(
      "ME-008",
      "fills shared memory",
      "const a = []; for (;;) { const b = new SharedArrayBuffer(2e7); new Uint8Array(b).fill(1); a.push(b); }",
    ),
    full(
      "ME-008b",
      "fills WebAssembly's memory",
      "const a = []; for (;;) { const m = new WebAssembly.Memory({ initial: 300 }); new Uint8Array(m.buffer).fill(1); a.push(m); }",
    ),
    full(
      "ME-009",
      "grows a resizable buffer",
      "const b = new ArrayBuffer(0, { maxByteLength: 2e9 }); for (let n = 1; ; n++) { b.resize(n * 1e7); new Uint8Array(b, (n - 1) * 1e7).fill(1); }",
    ),
    full("ME-010", "keeps many texts", "const a = []; for (let i = 0; ; i++) a.push('x'.repeat(10000) + i);"),
    full("ME-011", "calls itself without end", "const f = () => 1 + f(); f();"),
    full(
      "ME-011b",
      "calls itself without end where each call is followed",
      "const { AsyncLocalStorage } = require('async_hooks'); const s = new AsyncLocalStorage(); const f = (n) => s.run(n, () => f(n + 1)); f(0);",
    ),
    full(
      "ME-012",
      "starts a thread with a larger heap",
      "const w = new (require('worker_threads').Worker)('const a = []; for (;;) a.push(new Array(1e5).fill(1));', { eval: true, resourceLimits: { maxOldGenerationSizeMb: 8192 } }); await new Promise((_, no) => w.on('error', no));",
    ),
    full(
      "ME-013",
      "raises its own heap limit",
      "require('v8').setFlagsFromString('--max-old-space-size=8192'); const a = []; for (;;) a.push(new Array(10000).fill(1));",
    ),
    full("ME-014", "floods the console", "for (;;) console.log('x'.repeat(1e6));"),
    full(
      "ME-014b",
      "floods stdout by its descriptor",
      "for (;;) require('fs').writeSync(1, 'x'.repeat(1e6));",
    ),
    full(
      "ME-015",
      "opens all descriptors",
      "const fs = require('fs'); for (;;) fs.openSync(args.root + '/ok.txt', 'r');",
      { outcomes: ["runtime_error", "worker_crash"] },
    ),
    full("ME-016", "answers with a text of 300 MB", "return 'x'.repeat(3e8);", {
      outcomes: ["output_limit", "memory_limit"],
    }),
    full(
      "ME-017",
      "answers with a million blocks",
      "return { content: Array.from({ length: 1e6 }, () => ({ type: 'text', text: 'x' })) };",
      {
        outcomes: ["output_limit", "memory_limit", "runtime_error"],
      },
    ),
    full(
      "ME-018",
      "answers with data 100,000 levels deep",
      "let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return { content: 'x', data: a };",
      {
        outcomes: ["output_limit", "runtime_error"],
      },
    ),
    full(
      "ME-019",
      "unpacks a bomb",
      "return require('zlib').gunzipSync(require('zlib').gzipSync(Buffer.alloc(3e8))).length + '';",
      {
        outcomes: [...GONE, "ok"],
      },
    ),
  ],
);

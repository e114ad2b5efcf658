// What a tool call costs over a bare piscina call that reads the same 4 KB file: `node bench/call.mjs [rounds]`.
// Both in one process, in turns (A B A B …), so that whatever else the machine does hits both.
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import { ToolPool } from "../dist/src/sandbox/tool-pool.js";
import { readTools } from "../dist/src/tools/built-in.js";
import { invokeTool } from "../dist/src/tools/invoke-tool.js";
import { ToolRegistry } from "../dist/src/tools/tool-registry.js";

const CALLS_PER_TURN = 200;
const rounds = Number(process.argv[2] ?? 10);
const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-bench-")));
const file = join(root, "4k.txt");
writeFileSync(file, `${"0123456789abcde\n".repeat(256)}`);

const bare = (atomics) =>
  new Piscina({
    filename: fileURLToPath(new URL("bare-read.cjs", import.meta.url)),
    minThreads: 1,
    maxThreads: 1,
    atomics,
  });
const pools = { sync: bare("sync"), disabled: bare("disabled") };
const sealed = new ToolPool({ root, seal: "try" });
const report = await sealed.check();
const deps = {
  registry: new ToolRegistry(readTools()),
  pool: sealed,
  policy: { decide: () => ({ allowed: true }) },
  signal: new AbortController().signal,
};

const subjects = {
  "bare piscina, its defaults": () => pools.sync.run(file),
  "bare piscina, atomics disabled": () => pools.disabled.run(file),
  "invokeTool read_file": async () => {
    const result = await invokeTool({ id: "c", name: "read_file", input: { path: "4k.txt" } }, deps);
    if (result.isError) throw new Error(JSON.stringify(result));
  },
};

const times = Object.fromEntries(Object.keys(subjects).map((name) => [name, []]));
for (let round = -1; round < rounds; round++) {
  for (const [name, call] of Object.entries(subjects)) {
    for (let i = 0; i < CALLS_PER_TURN; i++) {
      const start = performance.now();
      await call();
      // The first round warms up.
      if (round >= 0) times[name].push(performance.now() - start);
    }
  }
}
await Promise.all([pools.sync.destroy(), pools.disabled.destroy(), sealed.close()]);
rmSync(root, { recursive: true });

const at = (sorted, share) => Math.round(sorted[Math.floor(sorted.length * share)] * 1000);
const rows = Object.entries(times).map(([name, list]) => {
  const sorted = list.toSorted((a, b) => a - b);
  return { name, p50_us: at(sorted, 0.5), p90_us: at(sorted, 0.9), p99_us: at(sorted, 0.99) };
});
for (const row of rows) row.ratio = Number((row.p50_us / rows[0].p50_us).toFixed(2));
console.log(`Node ${process.version}, seal ${report.state}, ${rounds * CALLS_PER_TURN} calls each`);
console.table(rows);

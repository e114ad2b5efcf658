// All rows of docs/benchmarks.md, one after the other, each in a process of its own:
//
//   npm run bench [-- --row NAME]… [--quick] [--print]
//
// Writes bench/results/*.json. A full go over all rows also writes the table and the plot in docs/; --print leaves them.
import { execFileSync, fork } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { plotSvg } from "./lib/plot.mjs";
import { markdownTable, replaceMeasured } from "./lib/table.mjs";

const ROWS = [
  "whole-run",
  "thirty-calls",
  "version-help",
  "warm-read",
  "fresh-worker",
  "large-result",
  "process-tier",
  "first-call",
  "parallel",
  "deadline",
  "event-log",
  "stream",
  "long-run",
  "search",
  "idle-memory",
];
const ROW_MAX_MS = 180_000;
const here = (path) => fileURLToPath(new URL(path, import.meta.url));

const { values: options } = parseArgs({
  options: {
    row: { type: "string", multiple: true, default: ROWS },
    quick: { type: "boolean", default: false },
    print: { type: "boolean", default: false },
  },
});
const unknown = options.row.filter((name) => !ROWS.includes(name));
if (unknown.length > 0) fail(`no row is named ${unknown.join(", ")}; there are: ${ROWS.join(", ")}`);
if (!existsSync(here("../dist/bin/ruizn.js"))) fail("dist/ is not there; run `npm run build` first");

const rows = [];
for (const name of options.row) rows.push(await runRow(name));
const table = markdownTable(rows);
process.stdout.write(`${machine()}\n\n${table}\n`);
writeResults();
if (options.row.length === ROWS.length) writePage();
// A row that failed says so on the page too.
if (rows.some(({ error }) => error)) process.exitCode = 1;

function runRow(name) {
  const startedAt = performance.now();
  const args = [name, options.quick ? "quick" : "full"];
  const child = fork(here("lib/run-row.mjs"), args, { execArgv: [] });
  const timer = setTimeout(() => child.kill("SIGKILL"), ROW_MAX_MS);
  let result;
  child.on("message", (message) => (result = message));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      const seconds = (performance.now() - startedAt) / 1_000;
      process.stderr.write(`${name}: ${result ? "done" : "FAILED"} in ${seconds.toFixed(1)} s\n`);
      const error = `ended with ${signal ?? `code ${code}`} and no result`;
      resolve({ name, seconds, ...(result ? { result } : { error }) });
    });
  });
}

function machine() {
  const [cpu] = os.cpus();
  const system = `${os.type()} ${os.release()}, ${os.arch()}`;
  const load = os.loadavg()[0]?.toFixed(1);
  const when = new Date().toISOString().slice(0, 16).replace("T", " ");
  return `${os.cpus().length} × ${cpu?.model ?? "unknown"}, ${system}, Node ${process.version}, ${when} UTC, load average ${load} at the end${options.quick ? "; a quick go with few rounds" : ""}.`;
}

function writeResults() {
  mkdirSync(here("results"), { recursive: true });
  const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], {
    cwd: here(".."),
    encoding: "utf8",
  }).trim();
  const name = options.row.length === ROWS.length ? "all" : options.row.join("+");
  const file = here(`results/${name}-${process.version}.json`);
  writeFileSync(
    file,
    `${JSON.stringify({ machine: machine(), commit, quick: options.quick, rows }, undefined, 2)}\n`,
  );
}

function writePage() {
  if (options.print) return;
  const charts = rows.flatMap(({ result }) => result?.series ?? []);
  writeFileSync(here("../docs/benchmarks.svg"), plotSvg(charts));
  const notes = rows.flatMap(({ name, result }) =>
    (result?.notes ?? []).map((note) => `- \`${name}\`: ${note}`),
  );
  const page = here("../docs/benchmarks.md");
  const measured = ["", machine(), "", table, "", ...notes, ""].join("\n");
  writeFileSync(page, replaceMeasured(readFileSync(page, "utf8"), measured));
}

function fail(problem) {
  process.stderr.write(`bench: ${problem}\n`);
  process.exit(2);
}

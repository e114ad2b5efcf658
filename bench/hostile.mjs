// How each kind of hostile tool body ends: `node bench/hostile.mjs [--node PATH]… [--seal try|off] [--isolation thread|process] [--timeout MS]
// [--only KIND]… [--json FILE]`.
// Prints a Markdown table; each case is a process of its own, so that one that takes its process down is seen to.
import { execFileSync, spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { scratchFolder } from "./lib/scratch.mjs";

const KINDS = {
  loop: "endless loop",
  "atomics-wait": "Atomics.wait",
  regex: "catastrophic regex",
  "heap-objects": "heap, by small objects",
  "heap-array": "heap, by one array",
  "array-buffers": "array buffers",
  string: "strings that double",
  exit: "process.exit",
  "late-throw": "throw after the result",
  "unhandled-rejection": "unhandled rejection",
  "never-settles": "promise that never settles",
  "nested-worker": "nested worker left running",
  "child-process": "child process left running",
  "exec-sync": "waits for a child process",
  fifo: "opens a FIFO",
  flood: "flood of messages",
  "huge-result": "result of 300 MB",
  "unclonable-result": "result that cannot be cloned",
  "getter-result": "getter and endless proxy",
  "forged-reply": "forged reply",
  "fd1-write": "writes to descriptors 1 and 2",
  "close-fd1": "closes descriptors 1 and 2",
};
const CASE_MAX_MS = 60_000;
const { values } = parseArgs({
  options: {
    node: { type: "string", multiple: true, default: [process.execPath] },
    seal: { type: "string", default: "try" },
    isolation: { type: "string", default: "thread" },
    timeout: { type: "string", default: "2000" },
    json: { type: "string" },
    only: { type: "string", multiple: true },
  },
});
const caseFile = fileURLToPath(new URL("hostile-case.mjs", import.meta.url));
const folder = scratchFolder();

const rows = [];
const kinds = values.only ?? Object.keys(KINDS);
for (const kind of kinds) {
  for (const node of values.node) rows.push(await runCase(node, kind));
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(rows, null, 2)}\n`);
print();

function runCase(node, kind) {
  const reportFile = join(folder, "report.json");
  rmSync(reportFile, { force: true });
  const parameters = [caseFile, kind, values.seal, values.timeout, reportFile, values.isolation];
  const child = spawn(node, parameters, {
    env: { TMPDIR: folder },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const killed = setTimeout(() => child.kill("SIGKILL"), CASE_MAX_MS);
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
  return new Promise((resolve) => {
    child.on("close", (code, signal) => {
      clearTimeout(killed);
      const said = Buffer.concat(output).toString();
      resolve({ kind, node, code, signal, report: readReport(reportFile), output: said.slice(0, 400) });
    });
  });
}

function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
}

function print() {
  const versions = [...new Set(rows.map((row) => row.node))];
  console.log(`| kind | ${versions.map(versionOf).join(" | ")} |`);
  console.log(`|---|${versions.map(() => "---").join("|")}|`);
  for (const kind of kinds) {
    const cells = rows.filter((row) => row.kind === kind).map(cell);
    console.log(`| ${KINDS[kind]} | ${cells.join(" | ")} |`);
  }
}

function cell({ code, signal, report, output }) {
  if (!report) return `**process died** (${signal ?? `exit ${code}`})`;
  const notes = [`\`${report.ended}\`, ${report.ms} ms`];
  if (!report.next_works) notes.push("**next call fails**");
  if (report.left.children > 0) notes.push(`processes left: ${report.left.children}`);
  if (report.left.threads > 0) notes.push(`threads left: ${report.left.threads}`);
  if (report.left.descriptors_closed.length > 0) notes.push("descriptors closed");
  if (output !== "") notes.push("wrote to our streams");
  return notes.join(", ");
}

function versionOf(node) {
  return `Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`;
}

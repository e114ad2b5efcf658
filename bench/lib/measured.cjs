// Runs one command and prints what it cost as JSON on descriptor 3. A process for each measurement: the kernel adds up
// children, and the largest one so far would hide a smaller one after it. CommonJS, small, to start fast and stay small.
const { spawnSync } = require("node:child_process");
const { writeSync } = require("node:fs");

const RUSAGE_CHILDREN = -1;

/** User and system CPU and the peak resident memory of the children that have ended, from the kernel. */
function childrenUsage() {
  const koffi = require("koffi");
  const getrusage = koffi.load(null).func("int getrusage(int who, void *usage)");
  const usage = Buffer.alloc(144);
  if (getrusage(RUSAGE_CHILDREN, usage) !== 0) throw new Error("getrusage failed");
  const seconds = (offset) =>
    Number(usage.readBigInt64LE(offset)) + Number(usage.readBigInt64LE(offset + 8)) / 1e6;
  return { cpuMs: (seconds(0) + seconds(16)) * 1_000, maxRssKb: Number(usage.readBigInt64LE(32)) };
}

const [command, ...args] = process.argv.slice(2);
const startedAt = performance.timeOrigin + performance.now();
const { status, signal } = spawnSync(command, args, { stdio: ["ignore", "inherit", "inherit"] });
const wallMs = performance.timeOrigin + performance.now() - startedAt;
writeSync(3, JSON.stringify({ status, signal, startedAt, wallMs, ...childrenUsage() }));

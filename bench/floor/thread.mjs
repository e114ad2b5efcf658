// The least that a run with a worker thread waits for before its first request: Node, and one thread that has loaded the
// worker's file. Writes when it was there.
import { writeSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

const file = fileURLToPath(new URL("../../dist/workers/tool-worker.cjs", import.meta.url));
const code = `require(${JSON.stringify(file)}); require("node:worker_threads").parentPort.postMessage(1);`;
new Worker(code, { eval: true, env: {}, execArgv: [] }).once("message", () => {
  writeSync(1, String(performance.timeOrigin + performance.now()));
  process.exit(0);
});

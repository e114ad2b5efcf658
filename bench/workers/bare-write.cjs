// The floor of a write in a thread of its own.
const { writeFileSync } = require("node:fs");
const { parentPort } = require("node:worker_threads");

parentPort.once("message", ({ path, text }) => {
  writeFileSync(path, text);
  parentPort.postMessage("written");
});

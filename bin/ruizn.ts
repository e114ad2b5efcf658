#!/usr/bin/env node
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  void import("../src/cli/run-process.ts").then(({ runProcess }) => runProcess());
} else {
  process.stderr.write(`error: ruizn needs Node 20.19 or later; this is ${process.versions.node}\n`);
  process.exitCode = 1;
}
export {};

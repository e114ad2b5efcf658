import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { SEALABLE } from "../seal/sealed-place.ts";
import { tempWorkspace } from "../support/temp-workspace.ts";

const CELL = fileURLToPath(new URL("../../dist/src/sandbox/cell.js", import.meta.url));
const PACKAGE = fileURLToPath(new URL("../../package.json", import.meta.url));
const THREADS = 12;

/** Loads the seal's addon again and again, so that the thread is sure to be met in the middle of it. */
const LOADER = `
  const load = require("node:module").createRequire(${JSON.stringify(PACKAGE)});
  const until = Date.now() + 250;
  while (Date.now() < until) {
    for (const path of Object.keys(require.cache)) delete require.cache[path];
    load("koffi");
  }
  module.exports = () => true;`;

// Node ends the whole process (SIGABRT) when a thread is terminated while an addon is being loaded in it.
test.runIf(SEALABLE)(
  "threads that are ended while they load the seal's addon take nothing along with them",
  () => {
    const file = join(tempWorkspace(), "loader.cjs");
    writeFileSync(file, LOADER);
    const script = `
    import { Cell } from ${JSON.stringify(CELL)};
    for (let n = 0; n < ${THREADS}; n++) {
      const cell = await Cell.launch({ atomics: "disabled", file: ${JSON.stringify(file)} });
      await new Promise((resolve) => setTimeout(resolve, 60 + n * 10));
      await cell.retire();
      // On a busy machine loading takes longer than retiring waits.
      while (!cell.gone) await new Promise((resolve) => setTimeout(resolve, 10));
    }
    console.log("all ended");`;
    const { status, signal, stdout, stderr } = spawnSync(
      process.execPath,
      ["--input-type=module", "--eval", script],
      { encoding: "utf8", timeout: 30_000 },
    );
    expect({ status, signal, stdout }, stderr).toEqual({ status: 0, signal: null, stdout: "all ended\n" });
  },
);

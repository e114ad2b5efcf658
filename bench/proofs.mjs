// Shows in full what CI shows with smaller counts: that nothing is lost. Prints what was tried and what came of it.
// npm run proofs
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));

const FULL = { RUIZN_TEST_KILLS: "300", RUIZN_TEST_STEPS: "500", RUIZN_TEST_CUT_EVERY: "5" };
const KILLED_RUNS = "300";
/** Each prints its counts. */
const TESTS = [
  "test/log/crash.test.ts",
  "test/log/rebuild.test.ts",
  "test/log/reopen-run.test.ts",
  "test/log/verify-log.test.ts",
  "test/runner/resume.test.ts",
  "test/provider/cut-streams.test.ts",
  "test/loop/broken-streams.test.ts",
  "test/cli/budgets.test.ts",
  "test/cli/log-lost.test.ts",
  "test/cli/signal-moments.test.ts",
  "test/context/long-run.test.ts",
];

function show(title, args) {
  console.log(`=== ${title}`);
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, args, {
    stdio: "inherit",
    env: { ...process.env, ...FULL },
  });
  console.log(`=== ${status === 0 ? "holds" : "FAILED"}, ${Math.round((Date.now() - startedAt) / 1000)} s\n`);
  return status === 0;
}

const held = [
  show("cuts, kills, changed bytes, lost logs, broken streams, budgets, signals, a run of 500 steps", [
    "node_modules/vitest/vitest.mjs",
    "run",
    "--testTimeout=900000",
    ...TESTS,
  ]),
  show(`a run of thirty steps, killed and resumed, ${KILLED_RUNS} times`, [
    "bench/kill-resume.mjs",
    KILLED_RUNS,
  ]),
];
process.exitCode = held.every(Boolean) ? 0 : 1;

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { effort } from "../support/effort.ts";
import { cliEnv } from "./cli-process.ts";

const SCRIPT = fileURLToPath(new URL("../../bench/kill-resume.mjs", import.meta.url));
const RUNS = effort(8, 3);

test("runs of thirty steps, killed at random moments and resumed, end with the files and messages of a whole one", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, String(RUNS), "3"], {
    encoding: "utf8",
    env: cliEnv(),
  });
  expect(stderr).toBe("");
  const counts = JSON.parse(stdout) as Record<string, number>;
  console.log(
    `kills tried: ${counts["kills"]}; runs resumed to the same end: ${counts["equal"]} of ${RUNS}: ${stdout}`,
  );
  expect(counts).toMatchObject({ runs: RUNS, equal: RUNS, refused: 0, failures: [] });
  expect(counts["kills"]).toBeGreaterThanOrEqual(RUNS);
}, 300_000);

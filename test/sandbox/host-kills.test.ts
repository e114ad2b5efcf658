import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const SCRIPT = fileURLToPath(new URL("../../bench/host-kills.mjs", import.meta.url));
const HITS = 12;

test("tool hosts killed and stopped from outside: every call ends rightly, the run normally, the log is whole", () => {
  const { stdout, stderr } = spawnSync(process.execPath, [SCRIPT, String(HITS), "7"], {
    encoding: "utf8",
    env: { PATH: process.env["PATH"], TMPDIR: process.env["TMPDIR"] },
  });
  expect(stderr).toBe("");
  const counts = JSON.parse(stdout) as Record<string, number>;
  console.log(`hosts hit: ${(counts["kills"] ?? 0) + (counts["stops"] ?? 0)}: ${stdout}`);
  expect(counts).toMatchObject({ wrong: [], results: expect.any(Number) });
  expect((counts["kills"] ?? 0) + (counts["stops"] ?? 0)).toBeGreaterThanOrEqual(HITS);
  expect(counts["results"]).toBeGreaterThan(0);
}, 120_000);

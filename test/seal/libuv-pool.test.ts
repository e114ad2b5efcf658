import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { SEALABLE, sealedPlace } from "./sealed-place.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/pool-after-seal.mjs", import.meta.url));

/** RUIZN_TEST_NODES: further Node binaries, separated by colons, that this must hold on. */
const NODES = [process.execPath, ...(process.env["RUIZN_TEST_NODES"] ?? "").split(":").filter(Boolean)];

describe.runIf(SEALABLE)("once workers are sealed", () => {
  const { place, bundle } = sealedPlace("libuv-pool");

  test.each(NODES)("the main thread of %s still reads, writes, looks up and starts programs", (node) => {
    const { stdout, stderr, status } = spawnSync(node, [FIXTURE, bundle(), place().root], {
      encoding: "utf8",
      // No variable of the test runner's: colours would be a difference.
      env: {},
    });
    expect([status, stderr]).toEqual([0, ""]);
    expect(JSON.parse(stdout)).toEqual({
      states: Array.from({ length: 6 }, () => "sealed"),
      answers: Array.from({ length: 6 }, () => "inside"),
      files: 32,
      address: "127.0.0.1",
      stdout: "42\n",
      zipped: true,
    });
  });
});

import { expect, test } from "vitest";
import { apiError, text } from "../../src/testing.ts";
import { runCli, scriptedModel } from "./cli-process.ts";

const GO = ["run", "--goal", "go"];

test("--idle-timeout and --first-byte-timeout: a model that goes silent is asked again", async () => {
  const { env, double } = await scriptedModel([
    text("never begun", { stallAtByte: 0 }),
    text("never ended, and shown in part", { stallAtByte: 700 }),
    text("done"),
  ]);
  const flags = ["--first-byte-timeout", "300ms", "--idle-timeout", "300ms"];
  const { code, stdout, stderr } = await runCli([...GO, ...flags], { env });
  expect(code).toBe(0);
  expect(stdout.endsWith("done\n")).toBe(true);
  expect(stderr).toMatch(/retry 1 of 2 in .* did not begin to answer within 0\.3 s/);
  expect(stderr).toMatch(/retry 2 of 6 in .* went silent for 0\.3 s/);
  expect(double.requests).toHaveLength(3);
});

test("--max-tries: a model that fails so often is not asked once more", async () => {
  const { env, double } = await scriptedModel(() => apiError(529));
  const { code, stderr } = await runCli(GO, { env: { ...env, RUIZN_MAX_TRIES: "2" } });
  expect(code).toBe(1);
  expect(stderr).toContain("(2 tries)");
  expect(double.requests).toHaveLength(2);
});

test("--max-tries 1: asked once", async () => {
  const { env, double } = await scriptedModel(() => apiError(529));
  expect((await runCli([...GO, "--max-tries", "1"], { env })).code).toBe(1);
  expect(double.requests).toHaveLength(1);
});

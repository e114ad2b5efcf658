import { describe, expect, it } from "vitest";
import { text, toolUse } from "../../src/testing.ts";
import { runCli, scriptedModel, tempFolder } from "./cli-process.ts";

const PASSWORD = "correct horse battery";
const CANARY = "c4n4ry-0f3d9a7b";

describe("ruizn run", () => {
  it("keeps values of the environment out of what it shows and sends", async () => {
    const { double, env } = await scriptedModel([
      toolUse("read_file", { path: "a.txt" }),
      text(`The password is ${PASSWORD}.`, { chunkChars: 4 }),
    ]);
    const cwd = tempFolder({ "a.txt": `password: ${PASSWORD}\n` });
    const options = { cwd, env: { ...env, DB_PASSWORD: PASSWORD } };
    const shown = await runCli(["run", "--goal", "read a.txt", "--output-format", "stream-json"], options);
    expect(shown.code).toBe(0);
    expect(shown.stdout + shown.stderr).not.toContain(PASSWORD);
    expect(shown.stdout).toContain("The password is [redacted:DB_PASSWORD].");
    expect(double.requests.map(({ raw }) => raw.toString()).join("")).not.toContain(PASSWORD);
  });

  it("ends with 61 when a canary turns up, from flag and variable", async () => {
    const cwd = tempFolder({ "a.txt": `x ${CANARY}\n` });
    for (const [flags, variable] of [
      [["--canary", "another-canary", "--canary", CANARY], {}],
      [[], { RUIZN_CANARY: CANARY }],
    ] as const) {
      const { env } = await scriptedModel([toolUse("read_file", { path: "a.txt" }), text("done")]);
      const outcome = await runCli(["run", "--goal", "read a.txt", ...flags], {
        cwd,
        env: { ...env, ...variable },
      });
      expect(outcome.code).toBe(61);
      expect(outcome.stderr).toMatch(/^error: canary \d of \d has turned up in the run$/m);
      expect(outcome.stdout + outcome.stderr).not.toContain(CANARY);
    }
  });

  it("takes no canary that ordinary words could hold", async () => {
    const outcome = await runCli(["run", "--goal", "x", "--canary", "abc"]);
    expect([outcome.code, outcome.stderr]).toEqual([52, expect.stringContaining("fewer than 8 characters")]);
  });
});

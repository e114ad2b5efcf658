import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { SEALABLE } from "../seal/sealed-place.ts";
import { junitProblems } from "../support/junit-schema.ts";
import { eventually } from "../support/processes.ts";
import { sarifProblems } from "../support/sarif-schema.ts";
import { startCli, tempFolder } from "./cli-process.ts";

describe.runIf(SEALABLE)("ruizn probe", () => {
  it("attacks the installation and says what held, as table, SARIF and JUnit", async () => {
    const cwd = tempFolder();
    const args = ["probe", "--family", "path-size,tool-name", "--sarif", "p.sarif", "--junit", "p.xml"];
    const { code, stdout, stderr } = await startCli(args, { cwd }).done;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const shown = stdout.replace(/ in [\d.]+ m?s\.\n$/, " in T.\n");
    expect(shown).toMatchInlineSnapshot(`
      "family                    held    single  degraded   escaped       n/a     error
      ────────────────────────────────────────────────────────────────────────────────
      path-size                    7         ·         ·         ·         ·         ·
      tool-name                    ·        16         ·         ·         ·         ·
      ────────────────────────────────────────────────────────────────────────────────
      all                          7        16         ·         ·         ·         ·

      Nothing escaped: 23 cases against isolation default (tools of one's own in processes) in T.
      "
    `);
    const sarif = readFileSync(join(cwd, "p.sarif"), "utf8");
    const junit = readFileSync(join(cwd, "p.xml"), "utf8");
    expect([sarifProblems(sarif), junitProblems(junit)]).toEqual([[], []]);
    expect(JSON.parse(sarif).runs[0].results).toHaveLength(16);
    expect(junit).toContain('name="ruizn probe" tests="23" failures="0" errors="0"');
  });

  it("compares with an earlier run", async () => {
    const cwd = tempFolder();
    const args = ["probe", "--case", "PS-004,NW-001", "--json"];
    const before = JSON.parse((await startCli(args, { cwd }).done).stdout);
    expect(before.counts).toEqual({
      held: 1,
      single: 1,
      degraded: 0,
      escaped: 0,
      not_applicable: 0,
      error: 0,
    });
    for (const row of before.cases) if (row.id === "NW-001") row.outcome = "held";
    writeFileSync(join(cwd, "before.json"), JSON.stringify(before));
    const after = await startCli([...args, "--baseline", "before.json"], { cwd }).done;
    expect(JSON.parse(after.stdout).since_baseline).toEqual([{ id: "NW-001", was: "held", is: "single" }]);
  });

  it("stopped, ends in order with what it has, and leaves nothing", async () => {
    const cwd = tempFolder();
    const probe = startCli(["probe", "--family", "cpu"], { cwd, env: { TMPDIR: cwd } });
    await eventually(
      () => readdirSync(cwd).length,
      (count) => count > 0,
    );
    probe.child.kill("SIGTERM");
    const { code, stdout } = await probe.done;
    expect(code).toBe(143);
    expect(stdout).toContain("stopped before the end");
    expect(readdirSync(cwd)).toEqual([]);
  });
});

describe("ruizn probe", () => {
  it("lists what there is", async () => {
    const { code, stdout } = await startCli(["probe", "--list", "--family", "mcp"]).done;
    expect(code).toBe(0);
    expect(stdout.split("\n")[0]).toBe(
      "MC-002    mcp                integrity        answers under ids of other requests",
    );
  });

  it.each([
    [["--family", "nonsense"], 2, 'there is no family "nonsense"'],
    [["--case", "XX-1"], 2, 'there is no case "XX-1"'],
    [["--isolation", "none"], 2, '--isolation takes thread or process, not "none"'],
    [["--baseline", "missing.json"], 42, "--baseline missing.json does not exist"],
    [["--sarif", "no/such/folder"], 42, "--sarif no/such/folder cannot be written (ENOENT)"],
  ])("%j is refused", async (args, code, message) => {
    const outcome = await startCli(["probe", ...args]).done;
    expect(outcome).toMatchObject({ code, stdout: "" });
    expect(outcome.stderr).toContain(`error: ${message}`);
    expect(outcome.stderr).not.toContain("    at ");
  });
});

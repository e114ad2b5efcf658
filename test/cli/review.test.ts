import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { junitProblems } from "../support/junit-schema.ts";
import { sarifProblems } from "../support/sarif-schema.ts";
import { runCli, tempFolder } from "./cli-process.ts";

const SAFE = "const rows = db.query('SELECT * FROM t WHERE id = ?', [id]);\n";
const HOLE = "const rows = db.query(`SELECT * FROM t WHERE id = ${id}`);\n";
const ENV = { GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };

function git(cwd: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"];
  return execFileSync("git", [...who, ...args], { cwd, encoding: "utf8", env: { ...process.env, ...ENV } });
}

/** A small project whose second commit opens a hole in a file that has an old one, and whose third closes it. */
function repository(): string {
  const cwd = tempFolder({ "db.js": `eval(old);\n${SAFE}`, "README.md": "# A\n" });
  git(cwd, "init", "-q");
  git(cwd, "add", ".");
  git(cwd, "commit", "-qm", "first");
  writeFileSync(join(cwd, "db.js"), `eval(old);\n${HOLE}`);
  git(cwd, "commit", "-qam", "hole");
  writeFileSync(join(cwd, "db.js"), `eval(old);\n${SAFE}`);
  git(cwd, "commit", "-qam", "closed");
  return cwd;
}

async function found(cwd: string, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await runCli(["review", "--format", "json", ...args], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const { findings } = JSON.parse(stdout) as { findings: { file: string; line: number; rule: string }[] };
  return findings.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
}

describe("ruizn review without a model", () => {
  it("looks at what it is told to, and at the lines that changed alone", async () => {
    const cwd = repository();
    const old = "db.js:1 call/js-eval";
    const hole = "db.js:2 call/sql-concat";
    expect(await found(cwd)).toEqual([old]);
    expect(await found(cwd, "README.md")).toEqual([]);
    expect(await found(cwd, "--commit", "HEAD~1")).toEqual([hole]);
    expect(await found(cwd, "--commit", "HEAD~2")).toEqual([old]);
    expect(await found(cwd, "--base", "HEAD~2")).toEqual([]);
    writeFileSync(join(cwd, "db.js"), `eval(old);\n${HOLE}`);
    writeFileSync(join(cwd, "new.js"), "eval(x);\n");
    expect(await found(cwd, "--uncommitted")).toEqual([hole, "new.js:1 call/js-eval"]);
    expect(await found(cwd, "--base", "HEAD~2")).toEqual([hole]);
    writeFileSync(join(cwd, "change.diff"), git(cwd, "diff", "HEAD"));
    expect(await found(cwd, "--diff", "change.diff")).toEqual([hole]);
    expect(await found(cwd, "--uncommitted", "new.js")).toEqual(["new.js:1 call/js-eval"]);
  });

  it("works in a folder without a repository", async () => {
    expect(await found(tempFolder({ "a.py": "pickle.loads(x)\n" }))).toEqual(["a.py:1 call/py-unsafe-load"]);
  });

  it("says in every format that no model has reviewed anything", async () => {
    const cwd = repository();
    for (const format of ["text", "json", "sarif", "junit", "github", "markdown"]) {
      const { code, stdout } = await runCli(["review", "--format", format], { cwd });
      expect({ format, code, says: stdout.includes("No model has reviewed this code") }).toEqual({
        format,
        code: 0,
        says: true,
      });
    }
  });

  it("writes SARIF and JUnit that pass their schemas", async () => {
    const cwd = repository();
    const args = ["review", "--fail-on", "high", "--format", "sarif", "-o", "r.sarif"];
    const { code, stdout } = await runCli(args, { cwd });
    expect({ code, stdout }).toEqual({ code: 62, stdout: "" });
    const text = readFileSync(join(cwd, "r.sarif"), "utf8");
    expect(sarifProblems(text)).toEqual([]);
    const [run] = (JSON.parse(text) as { runs: Record<string, unknown>[] }).runs;
    expect(run).toMatchObject({
      columnKind: "utf16CodeUnits",
      invocations: [{ executionSuccessful: true, exitCode: 62 }],
      results: [
        {
          ruleId: "call/js-eval",
          level: "error",
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: "db.js", uriBaseId: "%SRCROOT%" },
                region: { startLine: 1, endLine: 1, startColumn: 1, endColumn: 7 },
              },
            },
          ],
        },
      ],
    });
    const junit = await runCli(["review", "--format", "junit"], { cwd });
    expect(junitProblems(junit.stdout)).toEqual([]);
  });

  it.each(["json", "sarif"])("takes what a baseline in %s knows for known", async (format) => {
    const cwd = repository();
    await runCli(["review", "--format", format, "-o", "known"], { cwd });
    writeFileSync(join(cwd, "db.js"), `\n\neval(old);\n${SAFE}`);
    const args = ["review", "db.js", "--baseline", "known", "--fail-on", "low", "--format", "sarif"];
    const known = await runCli(args, { cwd });
    expect(known.code).toBe(0);
    expect(sarifProblems(known.stdout)).toEqual([]);
    expect(JSON.parse(known.stdout)).toMatchObject({
      runs: [{ results: [{ suppressions: [{ kind: "external", status: "accepted" }] }] }],
    });
    writeFileSync(join(cwd, "db.js"), `eval(old);\n${HOLE}`);
    expect((await runCli(args, { cwd })).code).toBe(62);
  });

  it.each(["json", "sarif"])(
    "tells two reports in %s apart by what is new and what is gone",
    async (format) => {
      const cwd = repository();
      await runCli(["review", "--format", format, "-o", "one"], { cwd });
      writeFileSync(join(cwd, "db.js"), `\n${HOLE}`);
      await runCli(["review", "db.js", "--format", format, "-o", "two"], { cwd });
      expect(await runCli(["findings", "diff", "one", "two"], { cwd })).toEqual({
        code: 62,
        signal: null,
        stdout:
          "- db.js:1  high  Code is made out of a value and run\n" +
          "+ db.js:2  high  An SQL statement is put together from values\n" +
          "1 new, 1 gone, 0 the same.\n",
        stderr: "",
      });
      const same = await runCli(["findings", "diff", "one", "one", "--json"], { cwd });
      expect({ code: same.code, ...(JSON.parse(same.stdout) as object) }).toMatchObject({
        code: 0,
        added: [],
        gone: [],
        same: [{ file: "db.js", line: 1, severity: "high" }],
      });
      const bad = await runCli(["findings", "diff", "one", "db.js"], { cwd });
      expect({ code: bad.code, stderr: bad.stderr }).toEqual({
        code: 42,
        stderr:
          "error: db.js is no report of ruizn review\nhint: write one with --format json or --format sarif\n",
      });
    },
  );

  it("runs nothing that the repository is configured to run", async () => {
    const cwd = repository();
    const ran = join(tempFolder(), "ran");
    const script = join(cwd, "evil.sh");
    writeFileSync(script, `#!/bin/sh\ntouch ${ran}\ncat\n`);
    chmodSync(script, 0o755);
    const keys = ["core.fsmonitor", "core.pager", "diff.external", "filter.x.clean", "filter.x.smudge"];
    for (const key of [...keys, "diff.x.textconv", "filter.x.process"]) git(cwd, "config", key, script);
    writeFileSync(join(cwd, ".gitattributes"), "*.js filter=x diff=x\n");
    writeFileSync(join(cwd, "db.js"), `eval(old);\n${HOLE}`);
    for (const args of [[], ["--base", "HEAD~2"], ["--commit", "HEAD~1"], ["--uncommitted"]]) {
      expect((await runCli(["review", ...args], { cwd })).code).toBe(0);
    }
    expect(existsSync(ran)).toBe(false);
    // It would have been: a plain git runs it.
    git(cwd, "config", "--unset", "filter.x.process");
    git(cwd, "diff");
    expect(existsSync(ran)).toBe(true);
  });

  it("lists what it did not look at: no link leads out, no binary file is text", async () => {
    const cwd = tempFolder({ "a.js": "eval(x)\n", "b.bin": "a\0b" });
    symlinkSync("/etc/passwd", join(cwd, "link.js"));
    const { stdout } = await runCli(["review", "--format", "json"], { cwd });
    const { skipped } = JSON.parse(stdout) as { skipped: { path: string }[] };
    expect(skipped.map(({ path }) => path).toSorted()).toEqual(["b.bin", "link.js"]);
  });

  it("says that it did not look at what no tool may open", async () => {
    const cwd = repository();
    writeFileSync(join(cwd, ".env"), "KEY=x\n");
    git(cwd, "add", ".env");
    git(cwd, "commit", "-qm", "env");
    for (const args of [[], ["--base", "HEAD~1"], ["--commit", "HEAD"]]) {
      const { stdout } = await runCli(["review", "--format", "json", ...args], { cwd });
      const { skipped } = JSON.parse(stdout) as { skipped: unknown };
      const why = '".env" may hold secrets (.env*) and is not open to tools';
      expect({ args, skipped }).toEqual({ args, skipped: [{ path: ".env", why }] });
    }
  });

  it.each([
    [["--base", "--x"], 42, 'error: --base "--x" names no revision\n'],
    [["--base", "nope"], 42, "error: bad revision 'nope'\n"],
    [["--diff", "a.js"], 42, "error: --diff a.js is no unified diff\n"],
    [["nosuch.js"], 42, 'error: "nosuch.js" does not exist\n'],
    [
      ["--base", "a", "--uncommitted"],
      2,
      "error: --base and --uncommitted exclude each other: name one of them\n",
    ],
    [["--severity", "big"], 2, 'error: --severity takes low, medium, high, critical, not "big"\n'],
    [["--min-coverage", "101"], 2, 'error: --min-coverage takes a number from 0 to 100, not "101"\n'],
  ])("refuses %j in one line", async (args, code, stderr) => {
    const cwd = tempFolder({ "a.js": "x\n" });
    git(cwd, "init", "-q");
    expect(await runCli(["review", ...args], { cwd })).toEqual({ code, signal: null, stdout: "", stderr });
  });

  it("holds annotations to be text, whatever a file is called", async () => {
    const cwd = tempFolder({ "a%0A::error::x,line=9.js": "eval(x)\n" });
    const { stdout } = await runCli(["review", "--format", "github"], {
      cwd,
      env: { CI: "1", RUIZN_CI: "0" },
    });
    const [line] = stdout.split("\n");
    expect(line).toMatch(/^::error file=a%250A%3A%3Aerror%3A%3Ax%2Cline=9\.js,line=1,/);
  });
});

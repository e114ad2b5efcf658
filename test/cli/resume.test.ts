import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../src/testing.ts";
import { runCli, scriptedModel, startShell, tempFolder } from "./cli-process.ts";

const WRITE = toolUse("write_file", { path: "out.txt", content: "written\n", overwrite: true });
const WRITING = ["--sandbox", "workspace-write"];

const only = (folder: string): string => readdirSync(folder)[0] ?? "";
const runIn = (cwd: string): string => only(join(cwd, ".ruizn", "runs"));

/** A workspace with a finished run, and the variables of the user who made it. */
async function finishedRun(script: Parameters<typeof scriptedModel>[0], files: Record<string, string> = {}) {
  const { env, double } = await scriptedModel(script);
  const cwd = tempFolder(files);
  const mine = { ...env, HOME: tempFolder() };
  const first = await runCli(["run", "--goal", "go", ...WRITING], { cwd, env: mine });
  expect(first.code).toBe(0);
  const runId = runIn(cwd);
  return { cwd, env: mine, double, runId, file: join(cwd, ".ruizn", "runs", runId, "events.jsonl") };
}

/** Takes away what was logged after the call was started. */
function breakOff(file: string): void {
  const lines = readFileSync(file, "utf8").split("\n");
  const at = lines.findIndex((line) => line.includes('"tool_call.started"'));
  writeFileSync(file, `${lines.slice(0, at + 1).join("\n")}\n`);
}

test.each([
  ["--resume with its id", (runId: string) => ["--resume", runId]],
  ["-r", (runId: string) => ["-r", runId]],
  ["--continue", () => ["--continue"]],
  ["-c", () => ["-c"]],
])("%s goes on with a run and a further goal", async (_, flags) => {
  const { cwd, env, runId, double } = await finishedRun([text("One."), text("Two.")]);
  const { code, stdout, stderr } = await runCli(["run", ...flags(runId), "--goal", "more", ...WRITING], {
    cwd,
    env,
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: "Two.\n" });
  expect(stderr).toMatch(
    new RegExp(`^\\[run\\] ${runId} goes on after event \\d+\n\\[run\\] success 2 steps`),
  );
  expect(double.requests[1]?.body.messages?.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
  expect(await runCli(["log", "verify", runId], { cwd, env })).toMatchObject({ code: 0 });
});

test("the model is the one that the run was begun with, whatever the variables say now", async () => {
  const { cwd, env, double } = await finishedRun([text("One."), text("Two.")]);
  const now = { ...env, ANTHROPIC_MODEL: "claude-other" };
  expect(await runCli(["run", "-c", "--goal", "more", ...WRITING], { cwd, env: now })).toMatchObject({
    code: 0,
  });
  expect(double.requests.map(({ body }) => body.model)).toEqual(["claude-test", "claude-test"]);
});

test("a log that a checkout has brought along is not gone on with unless the workspace is trusted", async () => {
  const { cwd, env, runId } = await finishedRun([text("One."), text("Two.")]);
  const checkout = tempFolder();
  cpSync(cwd, checkout, { recursive: true });
  for (const [where, home] of [
    [checkout, env.HOME],
    [cwd, tempFolder()],
  ] as const) {
    const refused = await runCli(["run", "-c", "--goal", "more"], {
      cwd: where,
      env: { ...env, HOME: home },
    });
    expect(refused).toMatchObject({
      code: 55,
      stdout: "",
      stderr: expect.stringContaining(`error: run ${runId} is not known to have been made here by you`),
    });
  }
  const trusting = ["run", "-c", "--goal", "more", "--trust-workspace", ...WRITING];
  expect(await runCli(trusting, { cwd, env: { ...env, HOME: tempFolder() } })).toMatchObject({ code: 0 });
});

test.each([
  ["skip", [], "before\n"],
  ["skip", ["--resume-writes", "skip"], "before\n"],
  ["repeat", ["--resume-writes", "repeat"], "written\n"],
] as const)("without a terminal an interrupted write is: %s %j", async (_, flags, content) => {
  const { cwd, env, file } = await finishedRun([WRITE, text("One."), text("Two.")], {
    "out.txt": "before\n",
  });
  breakOff(file);
  writeFileSync(join(cwd, "out.txt"), "before\n");
  const outcome = await runCli(["run", "-c", ...flags, ...WRITING], { cwd, env });
  expect(outcome).toMatchObject({ code: 0, stdout: "Two.\n" });
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe(content);
});

const hasScript = spawnSync("script", ["--version"]).status === 0;

test.skipIf(!hasScript).each([
  ["y", "written\n"],
  ["n", "before\n"],
  ["", "before\n"],
])("at a terminal an interrupted write is asked about: %j", async (answer, content) => {
  const { cwd, env, file } = await finishedRun([WRITE, text("One."), text("Two.")], {
    "out.txt": "before\n",
  });
  breakOff(file);
  writeFileSync(join(cwd, "out.txt"), "before\n");
  const command = `script -qec '"$NODE" "$BIN" run -c --sandbox workspace-write' /dev/null`;
  const run = startShell(command, { cwd, env: { ...env, TERM: "dumb" }, stdin: "open" });
  const asked = new Promise<void>((resolve) => {
    run.child.stdout?.on("data", () => {
      if (run.seen.stdout.includes("[y/N]")) resolve();
    });
  });
  await asked;
  run.child.stdin?.write(`${answer}\n`);
  const { stdout } = await run.done;
  expect(stdout).toContain('write_file {"path": "out.txt"');
  expect(stdout).toContain("Two.");
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe(content);
});

test.each([
  [["-c"], 42, "there is no run in"],
  [["-r", "20260101-000000-aaaaaa"], 42, 'there is no run "20260101-000000-aaaaaa"'],
  [["-r", "../../etc"], 42, 'there is no run "../../etc"'],
  [["-c", "-r", "20260101-000000-aaaaaa"], 2, "--resume and --continue exclude each other"],
  [["-c", "--no-log"], 2, "a run goes on in its log, which --no-log switches off"],
  [["--goal", "x", "--resume-writes", "skip"], 2, "--resume-writes is for --resume and --continue"],
  [["-c", "--fsync", "sometimes"], 2, "--fsync must be none or step or event"],
])("%j is refused", async (flags, code, message) => {
  const outcome = await runCli(["run", ...flags]);
  expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(`error: ${message}`) });
});

test.each([
  [
    "a choice that there is not",
    ["--resume-writes", "maybe"],
    "--resume-writes must be ask or repeat or skip",
  ],
  ["another model", ["--model", "claude-other"], "was made with claude-test; leave --model out"],
])("%s is wrong usage", async (_, flags, message) => {
  const { cwd, env } = await finishedRun([text("One.")]);
  const outcome = await runCli(["run", "-c", "--goal", "more", ...flags], { cwd, env });
  expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test("tools that are not offered now are named, and the run is not gone on with", async () => {
  const { cwd, env } = await finishedRun([text("One."), text("Two.")]);
  const outcome = await runCli(["run", "-c", "--goal", "more"], { cwd, env });
  expect(outcome).toMatchObject({
    code: 42,
    stderr: expect.stringMatching(/^error: run \S+ had tools that are not offered now: .*write_file/),
  });
  const other = await runCli(["run", "-c", "--goal", "more", "--allow-changed-tools"], { cwd, env });
  expect(other).toMatchObject({ code: 0, stdout: "Two.\n" });
});

test.skipIf(process.platform !== "linux")("a run that another process still writes is refused", async () => {
  const { cwd, env, file } = await finishedRun([text("One.")]);
  const startedAt = readFileSync(`/proc/${process.pid}/stat`, "utf8").split(") ")[1]?.split(" ")[19];
  writeFileSync(join(file, "..", "writer.json"), JSON.stringify({ pid: process.pid, startedAt }));
  const outcome = await runCli(["run", "-c", "--goal", "more"], { cwd, env });
  expect(outcome).toMatchObject({ code: 60, stderr: expect.stringContaining("still writes this run's log") });
});

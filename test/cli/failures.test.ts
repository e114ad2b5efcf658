import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apiError, text, toolUse } from "../../src/testing.ts";
import {
  BIN,
  type CliOptions,
  cliEnv,
  loggedEvents,
  runCli,
  scriptedModel,
  tempFolder,
} from "./cli-process.ts";

const GO = ["run", "--goal", "go"];

async function jsonResult(args: string[], options: CliOptions) {
  const { code, stdout, stderr } = await runCli([...args, "--output-format", "json"], options);
  const { subtype, is_error, terminal_reason } = JSON.parse(stdout) as Record<string, unknown>;
  return { code, subtype, is_error, terminal_reason, stderr };
}

test.each([
  ["a wrong key", [], [apiError(401)], { code: 41, subtype: "error_auth_failed" }],
  [
    "a model that does not exist",
    [],
    [apiError(404, { message: "model: claude-test" })],
    { code: 1, subtype: "error_model_not_found" },
  ],
  [
    "the step limit",
    ["--max-turns", "1"],
    [toolUse("read_file", { path: "a" })],
    { code: 53, subtype: "error_max_steps", terminal_reason: "max_steps" },
  ],
  ["a refusal", [], [text("no", { stopReason: "refusal" })], { code: 58, subtype: "error_refusal" }],
  [
    "the run's time limit",
    ["--timeout", "1s"],
    [text("word ".repeat(1000), { eventDelayMs: 50 })],
    { code: 124, subtype: "error_timeout", terminal_reason: "timeout" },
  ],
  [
    "the token budget",
    ["--max-total-tokens", "10"],
    [toolUse("read_file", { path: "a" }), text("done")],
    { code: 57, subtype: "error_budget_exhausted", terminal_reason: "budget_exhausted" },
  ],
  [
    "a denied call with --fail-on denied",
    ["--fail-on", "denied", "--disallowed-tools", "read_file(a)"],
    [toolUse("read_file", { path: "a" }), text("done")],
    { code: 56, subtype: "error_permission_denied", terminal_reason: "permission_denied" },
  ],
  [
    "the step limit with --fail-on max_steps",
    ["--fail-on", "max_steps,budget,refusal", "--max-steps", "1"],
    [toolUse("read_file", { path: "a" }), text("done")],
    { code: 53, subtype: "error_max_steps" },
  ],
  [
    "a failed call with --fail-on tool_error",
    ["--fail-on", "denied,tool_error"],
    [toolUse("read_file", { path: "missing" }), text("done")],
    { code: 54, subtype: "error_tool_failed" },
  ],
])("%s: code, subtype and is_error agree", async (_, flags, script, expected) => {
  const { env } = await scriptedModel(script);
  const { stderr, ...result } = await jsonResult([...GO, ...flags], { env, cwd: tempFolder({ a: "a" }) });
  expect(result).toMatchObject({ is_error: true, ...expected });
  expect(stderr).toMatch(/^error: .+$/m);
  expect(stderr).not.toContain("    at ");
});

test("a denied call is told to the model and counted, and the run may still succeed", async () => {
  const { env, double } = await scriptedModel([toolUse("read_file", { path: "a" }), text("done")]);
  const args = [...GO, "--disallowed-tools", "read_file(a)", "--output-format", "json"];
  const { code, stdout } = await runCli(args, { env, cwd: tempFolder({ a: "a" }) });
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: "success",
    permission_denials: [{ tool_name: "read_file", tool_input: { path: "a" } }],
  });
  expect(JSON.stringify(double.requests[1]?.body)).toContain("denied by the rule read_file(a)");
});

test("what no rule allows is not offered to the model", async () => {
  const tools = async (...flags: string[]) => {
    const { env, double } = await scriptedModel([text("done")]);
    await runCli([...GO, ...flags], { env });
    return (
      (double.requests[0]?.body?.tools as { name: string }[] | undefined)
        ?.map(({ name }) => name)
        .toSorted() ?? []
    );
  };
  expect(await tools("--allowed-tools", "read_file(src/**),grep")).toEqual(["grep", "read_file"]);
  const readOnly = await tools();
  expect(readOnly).toContain("read_file");
  expect(readOnly).not.toContain("write_file");
  expect(await tools("--sandbox", "workspace-write")).toEqual(
    expect.arrayContaining(["read_file", "write_file"]),
  );
});

const settingsOf = (settings: string) => ({ "s.json": settings });

test.each([
  [
    "an unknown key",
    ["--settings", "s.json"],
    settingsOf('{\n"max_step": 1}'),
    {},
    52,
    /s\.json:2: unknown key "max_step"/,
  ],
  [
    "a wrong type",
    ["--settings", "s.json"],
    settingsOf('{"max_steps": "1"}'),
    {},
    52,
    /"max_steps" must be a whole number/,
  ],
  ["a missing --settings file", ["--settings", "s.json"], {}, {}, 52, /s\.json does not exist/],
  ["a bad variable", [], {}, { RUIZN_MAX_STEPS: "x" }, 52, /variable RUIZN_MAX_STEPS must be/],
  ["a bad flag", ["--max-steps", "0"], {}, {}, 2, /--max-steps must be a whole number above 0; got "0"/],
  ["a rule for no tool", ["--disallowed-tools", "grpe"], {}, {}, 52, /tool rule grpe names no tool/],
  ["a workspace that does not exist", ["-C", "nowhere"], {}, {}, 42, /nowhere/],
  [
    "a missing prompt file",
    ["--system-prompt-file", "p"],
    {},
    {},
    42,
    /--system-prompt-file .*p does not exist/,
  ],
  [
    "both kinds of prompt",
    ["--system-prompt", "a", "--system-prompt-file", "s.json"],
    {},
    {},
    2,
    /exclude each other/,
  ],
  ["a base URL that is none", ["--base-url", "nonsense"], {}, {}, 52, /nonsense/],
  ["two goals", ["again"], {}, {}, 2, /given twice/],
])("%s ends before anything is asked", async (_, flags, files, env, code, message) => {
  const model = await scriptedModel([text("done")]);
  const outcome = await runCli([...GO, ...flags], { cwd: tempFolder(files), env: { ...model.env, ...env } });
  expect(outcome).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
  expect(outcome.stderr).toMatch(/^error: [^\n]+\n(hint: [^\n]+\n)?$/);
  expect(model.double.requests).toEqual([]);
});

test("with json even a run that cannot begin gives its one object", async () => {
  const cwd = tempFolder(settingsOf("{"));
  const outcome = await runCli([...GO, "--settings", "s.json", "--output-format", "json"], { cwd });
  expect(outcome.code).toBe(52);
  expect(JSON.parse(outcome.stdout)).toMatchObject({
    type: "result",
    subtype: "error_settings_invalid",
    is_error: true,
    run_id: null,
    errors: [{ code: "settings_invalid" }],
  });
});

test("--debug adds the stack, nothing else does", async () => {
  const { stderr } = await runCli([...GO, "--settings", "nope.json", "--debug"]);
  expect(stderr).toMatch(/^error: settings file .*nope\.json does not exist\n[^]*\n {4}at /);
});

/** Nobody: to root every folder is writable. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534 } : {};

test("a read-only working folder: the log cannot be written, and the way out is said and works", async () => {
  const cwd = tempFolder({ "README.md": "tea" });
  chmodSync(cwd, 0o555);
  const { env, double } = await scriptedModel(() => text("done"));
  const refused = await runCli(GO, { cwd, env, ...NOBODY });
  expect(refused).toMatchObject({ code: 60, stdout: "" });
  expect(refused.stderr).toMatch(
    /^error: the run's log can't be written: .*\.ruizn.*\nhint: .*--log-dir.*--no-log\n$/,
  );
  expect(double.requests).toEqual([]);
  expect(await runCli([...GO, "--no-log"], { cwd, env, ...NOBODY })).toMatchObject({
    code: 0,
    stdout: "done\n",
  });
  const runs = tempFolder();
  chmodSync(runs, 0o777);
  expect(await runCli([...GO, "--log-dir", runs], { cwd, env, ...NOBODY })).toMatchObject({ code: 0 });
  expect(loggedEvents(runs).at(-1)?.type).toBe("run.finished");
  expect(existsSync(join(cwd, ".ruizn"))).toBe(false);
});

test("the log's folder is for its owner alone and ignored by git", async () => {
  const { env } = await scriptedModel([text("done")]);
  const cwd = tempFolder();
  await runCli(GO, { cwd, env });
  const runs = join(cwd, ".ruizn", "runs");
  const run = join(runs, readdirSync(runs)[0] ?? "");
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([mode(run), mode(join(run, "events.jsonl"))]).toEqual(["700", "600"]);
  expect(execFileSync("cat", [join(cwd, ".ruizn", ".gitignore")], { encoding: "utf8" })).toBe("*\n");
});

test("secrets of the environment are in no output and no log", async () => {
  const { env } = await scriptedModel([apiError(401)]);
  const cwd = tempFolder();
  const secret = "sk-ant-very-secret-key";
  const { stdout, stderr } = await runCli([...GO, "--debug", "--output-format", "stream-json"], {
    cwd,
    env: { ...env, ANTHROPIC_API_KEY: secret },
  });
  expect(stdout + stderr + JSON.stringify(loggedEvents(join(cwd, ".ruizn", "runs")))).not.toContain(secret);
});

test("project settings are read only from a trusted workspace, and one line says so otherwise", async () => {
  const { env, double } = await scriptedModel(() => text("done"));
  const cwd = tempFolder();
  mkdirSync(join(cwd, ".ruizn"));
  writeFileSync(join(cwd, ".ruizn", "settings.json"), '{"model": "claude-project"}');
  const { ANTHROPIC_MODEL: _, ...plain } = env;
  const first = await runCli(GO, { cwd, env: plain });
  expect(first.stderr).toMatch(
    /^notice: .*settings\.json is ignored: the workspace is not trusted \(--trust-workspace reads it\)\n/,
  );
  await runCli([...GO, "--trust-workspace"], { cwd, env: plain });
  expect(double.requests.map(({ body }) => body?.model)).toEqual([
    expect.not.stringMatching("claude-project"),
    "claude-project",
  ]);
});

test("an old Node is told so instead of a stack trace", async () => {
  const code = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.0" } })`;
  const preload = join(tempFolder({ "old.cjs": code }), "old.cjs");
  expect(
    await runCli(["--version"], { env: cliEnv({ NODE_OPTIONS: `--require=${preload}` }) }),
  ).toMatchObject({
    code: 1,
    stdout: "",
    stderr: "error: ruizn needs Node 20.19 or later; this is 18.20.0\n",
  });
});

test("the command runs from a path with spaces and other letters", async () => {
  const folder = tempFolder({}, "ruizn путь ");
  cpSync(join(BIN, "..", "..", "..", "package.json"), join(folder, "package.json"));
  cpSync(join(BIN, "..", ".."), join(folder, "dist"), { recursive: true });
  execFileSync("ln", ["-s", join(BIN, "..", "..", "..", "node_modules"), join(folder, "node_modules")]);
  const bin = join(folder, "dist", "bin", "ruizn.js");
  const cwd = tempFolder({ "README.md": "# Tea\n" });
  const outcome = execFileSync(process.execPath, [bin, "run", "--goal", "read README.md"], {
    cwd,
    env: cliEnv(),
    stdio: "pipe",
  });
  expect(String(outcome)).toContain("Tea");
});

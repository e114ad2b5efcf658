import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { text, toolUse, turn } from "../../src/testing.ts";
import {
  loggedEvents,
  runCli,
  scriptedModel,
  startCli,
  startShell,
  tempFolder,
  until,
} from "./cli-process.ts";

const README = "# Tea\n\nAll about tea.\n";
const READ_THEN_ANSWER = [
  turn([
    { type: "text", text: "I'll read the file." },
    { type: "tool_use", name: "read_file", input: { path: "README.md" } },
  ]),
  text("It is about tea."),
];

test("text: stdout is the answer and nothing else, stderr tells the rest", async () => {
  const { env } = await scriptedModel(READ_THEN_ANSWER);
  const outcome = await runCli(["run", "--goal", "What is it about?"], {
    env,
    cwd: tempFolder({ "README.md": README }),
  });
  expect(outcome).toMatchObject({ code: 0, stdout: "It is about tea.\n" });
  expect(outcome.stderr).toMatch(
    /^\[run\] \d{8}-\d{6}-[a-z0-9]{6} started\nI'll read the file\.\n\[tool\] read_file \{"path": "README\.md"\}\n\[tool\] read_file ok 22 B \d+ ms\n\[run\] success 2 steps \d+\.\ds\n$/,
  );
});

test("2>&1: one transcript, in order, no tool line sticks to the text", async () => {
  const { env } = await scriptedModel(READ_THEN_ANSWER);
  const { stdout, stderr } = await startShell('ruizn run --goal "What is it about?" 2>&1', {
    env,
    cwd: tempFolder({ "README.md": README }),
  }).done;
  expect(stderr).toBe("");
  expect(stdout).toMatch(
    /started\nI'll read the file\.\n\[tool\] read_file .*\n\[tool\] read_file ok .*\nIt is about tea\.\n\[run\] success/,
  );
});

test("json: exactly one result object, with every field", async () => {
  const { env } = await scriptedModel(READ_THEN_ANSWER);
  const cwd = tempFolder({ "README.md": README });
  const { code, stdout } = await runCli(["run", "-p", "go", "--output-format", "json"], { env, cwd });
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(2);
  const result = JSON.parse(stdout) as Record<string, unknown>;
  expect(Object.keys(result)).toEqual([
    "type",
    "subtype",
    "is_error",
    "result",
    "structured_output",
    "run_id",
    "num_steps",
    "duration_ms",
    "duration_api_ms",
    "total_cost_usd",
    "usage",
    "model_usage",
    "permission_denials",
    "stop_reason",
    "terminal_reason",
    "errors",
  ]);
  expect(result).toMatchObject({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "It is about tea.",
    num_steps: 2,
    stop_reason: "end_turn",
    terminal_reason: "completed",
    errors: [],
  });
  expect(existsSync(join(cwd, ".ruizn", "runs", String(result["run_id"]), "events.jsonl"))).toBe(true);
});

test("stream-json: one event a line and nothing else, from run.started to run.finished without a gap", async () => {
  const { env } = await scriptedModel(READ_THEN_ANSWER);
  const cwd = tempFolder({ "README.md": README });
  const { code, stdout } = await runCli(["run", "-p", "go", "--output-format", "stream-json"], { env, cwd });
  expect(code).toBe(0);
  expect(stdout.endsWith("\n")).toBe(true);
  const events = stdout
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { seq: number; type: string });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect([events[0]?.type, events.at(-1)?.type]).toEqual(["run.started", "run.finished"]);
  expect(loggedEvents(join(cwd, ".ruizn", "runs")).map(({ type }) => type)).toEqual(
    events.map(({ type }) => type),
  );
});

test("an inherited stdin that never ends does not hold a run up", async () => {
  const { env } = await scriptedModel([text("done")]);
  expect(await runCli(["run", "--goal", "go"], { env, stdin: "open" })).toMatchObject({
    code: 0,
    stdout: "done\n",
  });
});

test("an inherited stdin that never ends holds no other command up either", async () => {
  expect(await runCli(["tools", "list"], { stdin: "open" })).toMatchObject({ code: 0 });
});

test.each([
  ["run without a goal", ["run"]],
  ["run -", ["run", "-"]],
  ["run --goal -", ["run", "--goal", "-"]],
  ["run --stdin", ["run", "--stdin"]],
])("%s reads the goal from stdin", async (_, args) => {
  const { env, double } = await scriptedModel([text("done")]);
  expect(await runCli(args, { env, stdin: "the goal\nin two lines\n" })).toMatchObject({
    code: 0,
    stdout: "done\n",
  });
  expect(double.requests[0]?.body?.messages?.[0]?.content).toMatchObject([
    { type: "text", text: "the goal\nin two lines" },
  ]);
});

test("--stdin with a goal adds what stdin holds", async () => {
  const { env, double } = await scriptedModel([text("done")]);
  await runCli(["run", "--goal", "Review this", "--stdin"], { env, stdin: "a diff\n" });
  expect(double.requests[0]?.body?.messages?.[0]?.content).toMatchObject([{ text: "Review this\n\na diff" }]);
});

test("a pipe that nobody writes to is no goal: it ends as wrong usage", async () => {
  expect(await runCli(["run"], { stdin: "open" })).toMatchObject({
    code: 2,
    stdout: "",
    stderr:
      'error: no goal is given\nhint: say what to do: ruizn run --goal "…", or `ruizn run -` to read it from stdin\n',
  });
});

test.each([
  ["an empty goal", ["run", "--goal", " "], "", "error: the goal is empty\n"],
  ["a goal that is not UTF-8", ["run", "-"], Buffer.from([0x61, 0xff]), "error: stdin is not UTF-8 text\n"],
  [
    "more than a megabyte",
    ["run", "-"],
    "x".repeat(1_048_577),
    "error: stdin holds more than 1048576 bytes\n",
  ],
])("%s is bad input", async (_, args, stdin, message) => {
  const { code, stderr } = await runCli(args, { stdin });
  expect({ code, stderr }).toEqual({ code: 42, stderr: expect.stringContaining(message) });
});

const BIG = `${"a line of the answer, long enough to fill a pipe\n".repeat(210_000)}the last line`;

test("a pipe that is full for a while still gets the whole answer of 10 MB, and the last line", async () => {
  const { env } = await scriptedModel([text(BIG, { chunkChars: 100_000 })]);
  const { stdout, code } = await startShell("ruizn run -q --goal go --no-log | { sleep 2; cat; }", { env })
    .done;
  expect(code).toBe(0);
  expect(stdout.length).toBe(BIG.length + 1);
  expect(stdout.endsWith("\nthe last line\n")).toBe(true);
});

test("a full pipe gets the whole JSON object too", async () => {
  const { env } = await scriptedModel([text(BIG, { chunkChars: 100_000 })]);
  const { stdout } = await startShell(
    "ruizn run --goal go --output-format json --no-log | { sleep 2; cat; }",
    { env },
  ).done;
  expect((JSON.parse(stdout) as { result: string }).result === BIG).toBe(true);
});

test.each(["text", "stream-json"])(
  "a reader that leaves ends nothing but the output (%s)",
  async (format) => {
    const { env } = await scriptedModel([text(BIG, { chunkChars: 100_000 })]);
    const cwd = tempFolder();
    const script = `ruizn run --goal go --output-format ${format} | head -c 1 >/dev/null; echo "codes \${PIPESTATUS[*]}"`;
    const { stdout, stderr } = await startShell(script, { env, cwd }).done;
    expect(stdout).toBe("codes 0 0\n");
    expect(stderr).toMatch(/^\[run\] .* started\n\[run\] success 1 step .*\n$/);
    const events = loggedEvents(join(cwd, ".ruizn", "runs"));
    expect(events.at(-1)).toMatchObject({ type: "run.finished", status: "success" });
  },
);

test("output that cannot be written is a failure", async () => {
  const { env } = await scriptedModel([text("done")]);
  const { stderr, stdout } = await startShell('ruizn run --goal go -q > /dev/full; echo "code $?"', { env })
    .done;
  expect({ stderr, stdout }).toEqual({
    stdout: "code 1\n",
    stderr: "error: the output could not be written (ENOSPC)\n",
  });
});

test("a workspace with spaces and letters of other scripts works, named or as the current directory", async () => {
  const folder = tempFolder({ "чай 茶.md": README }, "ruizn файлы 文件 ");
  const goal = ["run", "--goal", "go", "-q"];
  for (const options of [{ cwd: folder }, { cwd: tempFolder(), args: ["-C", folder] }]) {
    const { env, double } = await scriptedModel([toolUse("read_file", { path: "чай 茶.md" }), text("done")]);
    const { args = [], cwd } = options;
    expect(await runCli([...goal, ...args], { env, cwd })).toMatchObject({ code: 0, stdout: "done\n" });
    expect(JSON.stringify(double.requests[1]?.body?.messages)).toContain("All about tea.");
  }
});

test("-o writes the answer to a file as well, and leaves nothing stale when the run fails", async () => {
  const { env } = await scriptedModel([text("done")]);
  const cwd = tempFolder({ "out.txt": "something old and longer" });
  expect(await runCli(["run", "-p", "go", "-o", "out.txt"], { env, cwd })).toMatchObject({
    stdout: "done\n",
  });
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe("done\n");
  const { env: refusing } = await scriptedModel([{ status: 401 }]);
  expect(await runCli(["run", "-p", "go", "-o", "out.txt"], { env: refusing, cwd })).toMatchObject({
    code: 41,
  });
  expect(readFileSync(join(cwd, "out.txt"), "utf8")).toBe("");
});

test("-o with a path that cannot be written fails before anything is asked", async () => {
  const { env, double } = await scriptedModel([text("done")]);
  expect(await runCli(["run", "-p", "go", "-o", "no/such/folder/out.txt"], { env })).toMatchObject({
    code: 42,
    stderr: "error: --output-last-message no/such/folder/out.txt cannot be written (ENOENT)\n",
  });
  expect(double.requests).toEqual([]);
});

test("without a key or a server one line says that the offline planner answers", async () => {
  const { code, stderr } = await runCli(["run", "--goal", "read README.md"], {
    cwd: tempFolder({ "README.md": README }),
  });
  expect(code).toBe(0);
  expect(stderr.split("\n")[0]).toBe(
    "notice: no ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL: using the offline planner (no language model)",
  );
});

test("text streams to a terminal-like reader as it comes", async () => {
  const { env } = await scriptedModel([text("one two three ".repeat(20), { eventDelayMs: 30 })]);
  const run = startShell("ruizn run --goal go 2>&1", { env });
  await until(run, () => run.seen.stdout.includes("one two"));
  expect(run.seen.stdout).not.toContain("success");
  expect(await run.done).toMatchObject({ code: 0 });
});

test("quiet leaves the answer alone", async () => {
  const { env } = await scriptedModel([text("done")]);
  expect(await startCli(["run", "-p", "go", "-q"], { env }).done).toEqual({
    code: 0,
    signal: null,
    stdout: "done\n",
    stderr: "",
  });
});

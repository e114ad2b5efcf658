import { join } from "node:path";
import { expect, test } from "vitest";
import { loggedEvents, runCli, tempFolder } from "./cli-process.ts";

test("tools list shows each tool on a line, what it may do and what it does", async () => {
  const { code, stdout, stderr } = await runCli(["tools", "list"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^read_file +read +Reads a file of the workspace\.$/m);
  expect(stdout).toMatch(/^write_file +write +/m);
  const { stdout: json } = await runCli(["tools", "list", "--json"]);
  const names = (JSON.parse(json) as { name: string }[]).map(({ name }) => name);
  expect(
    stdout
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ).toEqual(names);
});

test("tools show gives description and schema; a wrong name gives the likely one", async () => {
  const { stdout } = await runCli(["tools", "show", "read_file", "--json"]);
  expect(JSON.parse(stdout)).toMatchObject({
    name: "read_file",
    profile: "read",
    annotations: { readOnlyHint: true },
    input_schema: { type: "object", required: ["path"] },
  });
  expect((await runCli(["tools", "show", "read_file"])).stdout).toContain('"required": [\n    "path"\n  ]');
  expect(await runCli(["tools", "show", "raed_file"])).toMatchObject({
    code: 2,
    stderr: 'error: there is no tool named "raed_file"\nhint: did you mean read_file?\n',
  });
});

test("tools call: the content on stdout to the byte, and the call in a log", async () => {
  const cwd = tempFolder({ a: "no line end \u001b[0m" });
  const outcome = await runCli(["tools", "call", "read_file", '{"path": "a"}'], { cwd });
  expect(outcome).toEqual({ code: 0, signal: null, stdout: "no line end \u001b[0m", stderr: "" });
  const events = loggedEvents(join(cwd, ".ruizn", "runs"));
  expect(events[0]).toMatchObject({ type: "run.started", goal: "call read_file", provider: "none" });
  expect(events.find(({ type }) => type === "tool_call.started")).toMatchObject({ input: { path: "a" } });
  expect(events.find(({ type }) => type === "tool_call.finished")).toMatchObject({ is_error: false });
  expect(events.at(-1)).toMatchObject({ type: "run.finished", status: "success" });
});

test.each([
  ["a missing file", '{"path": "nope"}', /^error: not_found: .*nope/],
  ["a way out", '{"path": "../etc/passwd"}', /^error: permission_error: /],
  ["a bad input", '{"paht": "a"}', /^error: invalid_input: .*path/],
])("tools call with %s: the error on stderr with its type, code 54", async (_, input, message) => {
  const outcome = await runCli(["tools", "call", "read_file", input, "--no-log"]);
  expect(outcome).toMatchObject({ code: 54, stdout: "", stderr: expect.stringMatching(message) });
  expect(outcome.stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("tools call: input from stdin, JSON on request, writers only when the sandbox lets them", async () => {
  const cwd = tempFolder({ a: "tea" });
  const args = ["tools", "call", "read_file", "-", "--json", "--no-log"];
  const { stdout } = await runCli(args, { cwd, stdin: '{"path": "a"}' });
  expect(JSON.parse(stdout)).toMatchObject({ type: "tool_call.finished", name: "read_file", bytes_shown: 3 });
  const write = ["tools", "call", "write_file", '{"path": "b", "content": "x"}', "--no-log"];
  expect(await runCli(write, { cwd })).toMatchObject({
    code: 54,
    stderr: expect.stringContaining("workspace-write"),
  });
  expect(await runCli([...write, "--sandbox", "workspace-write"], { cwd })).toMatchObject({ code: 0 });
  expect((await runCli(["tools", "call", "read_file", '{"path": "b"}', "--no-log"], { cwd })).stdout).toBe(
    "x",
  );
});

test("input that is not JSON is bad input", async () => {
  expect(await runCli(["tools", "call", "read_file", "{"])).toMatchObject({
    code: 42,
    stdout: "",
    stderr: expect.stringContaining(`hint: write it as '{"path": "README.md"}'`),
  });
});

import { join } from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../src/testing.ts";
import { loggedEvents, scriptedModel, startCli, tempFolder, until } from "./cli-process.ts";

const ENDLESS = text("word ".repeat(20_000), { eventDelayMs: 20 });

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
  ["SIGHUP", 129],
] as const)("%s ends a streaming run in order, with code %i and a whole log", async (signal, code) => {
  const { env } = await scriptedModel([ENDLESS]);
  const cwd = tempFolder();
  const run = startCli(["run", "--goal", "go", "--output-format", "stream-json"], { env, cwd });
  await until(run, () => run.seen.stdout.includes("llm.token"));
  const sent = performance.now();
  run.child.kill(signal);
  expect(await run.done).toMatchObject({
    code,
    signal: null,
    stderr: expect.stringContaining("[run] aborted 1 step"),
  });
  // 200 ms on a machine that is not busy; a busy one must not make it 3 s either.
  expect(performance.now() - sent).toBeLessThan(3000);
  const events = loggedEvents(join(cwd, ".ruizn", "runs"));
  expect(events.at(-1)).toMatchObject({
    type: "run.finished",
    status: "aborted",
    terminal_reason: "aborted",
    signal,
  });
  expect(events.filter(({ type }) => type === "step.started")).toHaveLength(1);
  expect(events.filter(({ type }) => type === "step.finished")).toHaveLength(1);
});

test("the JSON result of an aborted run says so", async () => {
  const { env } = await scriptedModel([ENDLESS]);
  const run = startCli(["run", "--goal", "go", "--output-format", "json", "--verbose"], { env });
  await until(run, () => run.seen.stderr.includes("[llm] request"));
  run.child.kill("SIGINT");
  const { code, stdout } = await run.done;
  expect(code).toBe(130);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: "error_aborted",
    is_error: true,
    terminal_reason: "aborted",
    errors: [{ code: "aborted", message: "interrupted by SIGINT" }],
  });
});

test("a signal while the goal is still being read ends the command", async () => {
  const run = startCli(["run", "-"], { stdin: "open" });
  await new Promise((resolve) => setTimeout(resolve, 1500));
  run.child.kill("SIGINT");
  expect(await run.done).toMatchObject({ code: 130, stdout: "" });
});

test("a command whose output nobody takes leaves within the grace of a second", async () => {
  const { env } = await scriptedModel([text("x".repeat(5_000_000), { chunkChars: 500_000 })]);
  const run = startCli(["run", "--goal", "go"], { env });
  // The reader is this test, and it stops reading.
  run.child.stdout?.pause();
  await until(run, () => run.seen.stderr.includes("[run] success"));
  const sent = performance.now();
  run.child.kill("SIGINT");
  const code = await new Promise((resolve) => run.child.once("exit", resolve));
  expect(code).toBe(130);
  expect(performance.now() - sent).toBeLessThan(4000);
});

test("a second signal leaves at once, whatever is still going on", async () => {
  // The command is kept busy in the tool's thread; the second signal does not wait for anything.
  const { env } = await scriptedModel([toolUse("read_file", { path: "a" }), ENDLESS]);
  const run = startCli(["run", "--goal", "go", "--output-format", "stream-json"], {
    env,
    cwd: tempFolder({ a: "a" }),
  });
  await until(run, () => run.seen.stdout.includes("llm.token"));
  run.child.kill("SIGINT");
  run.child.kill("SIGTERM");
  expect((await run.done).code).toSatisfy((code: number) => code === 130 || code === 143);
});

test("SIGUSR1 opens no inspector, and the run goes on", async () => {
  const { env } = await scriptedModel([ENDLESS]);
  const run = startCli(["run", "--goal", "go", "--output-format", "stream-json"], { env });
  await until(run, () => run.seen.stdout.includes("llm.token"));
  run.child.kill("SIGUSR1");
  const words = run.seen.stdout.split("llm.token").length;
  await until(run, () => run.seen.stdout.split("llm.token").length > words + 20);
  run.child.kill("SIGINT");
  const { code, stderr } = await run.done;
  expect({ code, opened: /debugger/i.test(stderr) }).toEqual({ code: 130, opened: false });
});

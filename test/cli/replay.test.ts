import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type DoubleRequest, type Script, text, toolUse, turn } from "../../src/testing.ts";
import { runCli, scriptedModel, tempFolder } from "./cli-process.ts";

const SCRIPT = [
  turn([
    { type: "thinking", thinking: "hm" },
    { type: "text", text: "I'll look." },
    { type: "tool_use", name: "read_file", input: { path: "a.txt" } },
    { type: "tool_use", name: "read_file", input: { path: "none.txt" } },
  ]),
  text("It says ", { stopReason: "max_tokens" }),
  text("alpha."),
];

/** A recorded run; the model that it was made with is gone. */
async function recorded(script: Script = SCRIPT, flags: string[] = []) {
  const { env, double } = await scriptedModel(script);
  const cwd = tempFolder({ "a.txt": "alpha\n" });
  const { code } = await runCli(["run", "--goal", "go", ...flags], { cwd, env });
  await double.close();
  const runs = join(cwd, ".ruizn", "runs");
  const [runId = ""] = readdirSync(runs);
  return { code, cwd, runId, file: join(runs, runId, "events.jsonl") };
}

test.each(["recorded", "live"])("a run goes again as recorded, offline, with %s tools", async (tools) => {
  const { cwd, runId } = await recorded();
  if (tools === "recorded") writeFileSync(join(cwd, "a.txt"), "changed\n");
  const replay = await runCli(["replay", runId, "--tools", tools], { cwd });
  expect(replay).toMatchObject({ code: 0, stdout: "as recorded: 3 requests, completed\n" });
  const again = readdirSync(join(cwd, ".ruizn", "runs")).find((name) => name !== runId) ?? "";
  expect(await runCli(["log", "verify", again], { cwd })).toMatchObject({ code: 0 });
  expect(await runCli(["diff", runId, again], { cwd })).toMatchObject({
    code: 0,
    stdout: 'began with another provider\n- "anthropic"\n+ "replay"\nthe same was said in both\n',
  });
});

test("a request that is not the one recorded is a failure that names the first difference", async () => {
  const { cwd, runId } = await recorded();
  writeFileSync(join(cwd, "a.txt"), "omega\n");
  const field = "messages[2].content[0].content[0].text";
  expect(await runCli(["replay", runId, "--tools", "live"], { cwd })).toMatchObject({
    code: 1,
    stdout: `parted at request 2, ${field}\n- "alpha\\n"\n+ "omega\\n"\n`,
    stderr: expect.stringContaining(
      `error: request 2 is not the one that was recorded: ${field} was "alpha\\n" and is "omega\\n"`,
    ),
  });
  const { code, stdout } = await runCli(["replay", runId, "--tools", "live", "--output-format", "json"], {
    cwd,
  });
  expect([code, JSON.parse(stdout)]).toMatchObject([
    1,
    {
      type: "replay",
      run: runId,
      tools: "live",
      matched: false,
      requests: 1,
      recorded_requests: 3,
      recorded_terminal_reason: "completed",
      mismatch: { request: 2, field, recorded: "alpha\n", now: "omega\n" },
      errors: [{ code: "replay_mismatch" }],
    },
  ]);
});

test("tools that are not offered now part the run before anything is run", async () => {
  const { cwd, runId } = await recorded(SCRIPT, ["--sandbox", "workspace-write"]);
  const { code, stdout } = await runCli(["replay", runId, "--tools", "live"], { cwd });
  expect([code, stdout]).toEqual([1, expect.stringMatching(/^parted at request 1, tools\[\d+\]\n/)]);
  expect(await runCli(["replay", runId], { cwd })).toMatchObject({ code: 0 });
});

test("a run whose conversation had outgrown its window goes again as recorded", async () => {
  const script = ({ body }: DoubleRequest) => {
    const said = JSON.stringify(body.messages);
    if (said.includes("Your context is nearly full")) return text("I have read a lot.");
    const reads = body.messages?.length ?? 0;
    return reads < 24 && !said.includes("read a lot")
      ? toolUse("read_file", { path: "big.txt" })
      : text("done");
  };
  const { env, double } = await scriptedModel(script);
  const cwd = tempFolder({ "big.txt": "line of the file\n".repeat(600) });
  const window = ["--context-window", "24000"];
  expect(
    await runCli(["run", "--goal", "go", ...window, "--max-tokens", "2000"], { cwd, env }),
  ).toMatchObject({ code: 0 });
  await double.close();
  const [runId = ""] = readdirSync(join(cwd, ".ruizn", "runs"));
  const log = readFileSync(join(cwd, ".ruizn", "runs", runId, "events.jsonl"), "utf8");
  expect(log).toContain('"type":"context.cleared"');
  const replay = await runCli(["replay", runId, ...window], { cwd });
  expect(replay).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^as recorded: \d+ requests, completed\n$/),
  });
});

test("a run that broke off is as recorded when it gets as far", async () => {
  const { cwd, runId, file } = await recorded();
  const lines = readFileSync(file, "utf8").split("\n");
  const second = lines.findLastIndex((line) => line.includes('"type":"llm.request"'));
  writeFileSync(file, `${lines.slice(0, second + 1).join("\n")}\n`);
  expect(await runCli(["replay", runId], { cwd })).toMatchObject({
    code: 0,
    stdout: "as recorded: 2 requests, api_error\n",
  });
});

test("a run that came to another end than success is as recorded when it does so again", async () => {
  const { code, cwd, runId } = await recorded(SCRIPT, ["--max-steps", "1"]);
  expect(code).toBe(53);
  expect(await runCli(["replay", runId], { cwd })).toMatchObject({
    code: 0,
    stdout: "as recorded: 1 requests, max_steps\n",
  });
});

test.each([
  [["replay", "20260101-000000-aaaaaa"], 42, 'there is no run "20260101-000000-aaaaaa"'],
  [["replay", "x", "--tools", "none"], 2, "--tools must be recorded or live; got none"],
])("%j is refused", async (args, code, message) => {
  expect(await runCli(args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
});

import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { NO_USAGE } from "../../src/messages.ts";
import { text, turn } from "../../src/testing.ts";
import { loggedEvents, runCli, scriptedModel, tempFolder } from "./cli-process.ts";

const USAGE = { ...NO_USAGE, input_tokens: 10_000, output_tokens: 100 };
const read = (path: string) => ({ type: "tool_use" as const, name: "read_file", input: { path } });
const said = (words: string, ...paths: string[]) =>
  turn([{ type: "text", text: words }, ...paths.map(read)], {
    usage: USAGE,
  });
const FILE = "0123456789\n".repeat(100);
const CHEAP = { "claude-test": { input: 100, output: 0, cache_write: 100, cache_read: 100 } };

const SPENT = { code: 57, reason: "budget_exhausted" };

interface Case {
  value: number | string;
  budget: string;
  code?: number;
  reason?: string;
}

/** Every limit, by flag, with the run that meets it in its third step or its second turn of calls. */
const CASES: Record<string, Case> = {
  "--max-steps": { value: 2, budget: "steps", code: 53, reason: "max_steps" },
  "--timeout": { value: "4s", budget: "wallClockMs", code: 124, reason: "timeout" },
  "--max-total-tokens": { value: 23_500, budget: "totalTokens" },
  "--max-tool-calls": { value: 4, budget: "toolCalls" },
  "--max-repeated-calls": { value: 2, budget: "repeatedCalls" },
  "--max-bytes-read": { value: 4_300, budget: "bytesRead" },
  "--max-bytes-sent": { value: 3_300, budget: "bytesSent" },
  "--max-budget-usd": { value: 2.35, budget: "usd" },
};

describe("a run whose budget is used up", () => {
  const shown: string[] = [];
  it.each(Object.entries(CASES))(
    "%s ends in order with its code, warned before, with what was said last",
    async (flag, it) => {
      const { value, budget, code, reason } = { ...SPENT, ...it };
      const limit = value === "4s" ? 4_000 : Number(value);
      const { double, env } = await scriptedModel([
        said("First I look.", "a.txt", "b.txt"),
        said("Then I look again.", "a.txt", "b.txt"),
        flag === "--timeout"
          ? text("never said", { headerDelayMs: 60_000 })
          : said("And again.", "a.txt", "b.txt"),
        text("done"),
      ]);
      const cwd = tempFolder({ "a.txt": FILE, "b.txt": FILE, "prices.json": JSON.stringify(CHEAP) });
      const prices = flag === "--max-budget-usd" ? ["--prices-file", "prices.json"] : [];
      const args = ["run", "--goal", "look", flag, String(value), ...prices, "--output-format", "json"];
      const outcome = await runCli(args, { cwd, env });
      const result = JSON.parse(outcome.stdout) as Record<string, unknown>;
      expect([outcome.code, result]).toMatchObject([
        code,
        { subtype: `error_${reason}`, terminal_reason: reason, is_error: true },
      ]);
      expect(result["result"]).toMatch(/^(Then I look|And) again\.$/);
      const events = loggedEvents(join(cwd, ".ruizn", "runs")).filter(({ type }) =>
        type.startsWith("budget."),
      );
      expect(events.map(({ type, budget }) => [type, budget])).toEqual([
        ["budget.warning", budget],
        ["budget.exceeded", budget],
      ]);
      const [warning, exceeded] = events as unknown as { used: number; limit: number }[];
      expect([warning?.limit, exceeded?.limit]).toEqual([limit, limit]);
      expect(warning?.used).toBeGreaterThanOrEqual(limit * 0.8);
      // How much a tool will read is not known before it has; a timer is late on a busy machine.
      const unknown = { "--max-bytes-read": 2 * FILE.length, "--timeout": 5_000 }[flag] ?? 0;
      expect(exceeded?.used).toBeLessThanOrEqual(limit + unknown);
      expect(double.requests.length).toBeLessThan(4);
      const runs = join(cwd, ".ruizn", "runs");
      const [run = ""] = readdirSync(runs);
      expect(await runCli(["log", "verify", run], { cwd })).toMatchObject({ code: 0 });
      shown.push(flag);
    },
  );

  afterAll(() => console.log(`budgets shown: ${shown.length} of 8: ${shown.join(" ")}`));

  it("of time counts the time of all its parts", async () => {
    let answers = false;
    const { double, env } = await scriptedModel(() =>
      answers ? text("done") : text("never said", { headerDelayMs: 60_000 }),
    );
    const cwd = tempFolder();
    const mine = { ...env, HOME: tempFolder() };
    const go = async (...args: string[]) => (await runCli(["run", ...args], { cwd, env: mine })).code;
    expect(await go("--goal", "look", "--timeout", "2500ms")).toBe(124);
    expect(await go("-c", "--timeout", "1500ms")).toBe(124);
    // The first part comes to ask, unless the machine is too busy; the second has no time left for it.
    expect(double.requests.length).toBeLessThanOrEqual(1);
    answers = true;
    expect(await go("-c", "--timeout", "60s")).toBe(0);
  });

  it("says so beforehand when dollars can't be counted for the model", async () => {
    const { double, env } = await scriptedModel([text("never")]);
    const outcome = await runCli(["run", "--goal", "x", "--max-budget-usd", "1"], { env });
    expect(outcome.code).toBe(52);
    expect(outcome.stderr).toContain("no price is known for model claude-test");
    expect(outcome.stderr).toMatch(/^hint: .*--prices-file/m);
    expect(double.requests.length).toBe(0);
  });

  it("is limited by variables and settings files as well, the stricter project file included", async () => {
    const cwd = tempFolder({ "a.txt": FILE, "s.json": JSON.stringify({ max_tool_calls: 1 }) });
    for (const [args, variables] of [
      [["--settings", "s.json"], {}],
      [[], { RUIZN_MAX_TOOL_CALLS: "1" }],
    ] as const) {
      const { env } = await scriptedModel([said("I look.", "a.txt", "a.txt"), text("done")]);
      const outcome = await runCli(["run", "--goal", "look", ...args], {
        cwd,
        env: { ...env, ...variables },
      });
      expect([outcome.code, outcome.stdout]).toEqual([57, "I look.\n"]);
    }
  });
});

describe("a file of prices", () => {
  it.each([
    ["[]", "is not one JSON object"],
    ["{", "is not JSON"],
    ['{"m": 1}', 'has a wrong price for "m"'],
    ['{"m": {"input": 1, "output": -1}}', 'has a wrong output for "m"'],
    ['{"m": {"input": 1, "outputs": 1}}', 'has a wrong outputs for "m"'],
    ['{"m": {"input": 1}}', 'needs input and output for "m"'],
  ])("%s is refused with its reason", async (content, reason) => {
    const cwd = tempFolder();
    writeFileSync(join(cwd, "p.json"), content);
    const outcome = await runCli(["run", "--goal", "x", "--prices-file", "p.json"], { cwd });
    expect([outcome.code, outcome.stderr]).toEqual([52, expect.stringContaining(reason)]);
  });
});

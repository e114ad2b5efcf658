import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { apiError, type Reply, text, toolUse } from "../../src/testing.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { aShare, effort } from "../support/effort.ts";
import { eventually, processesWith } from "../support/processes.ts";
import {
  BIN,
  cliEnv,
  type CliOutcome,
  type CliProcess,
  loggedEvents,
  runCli,
  scriptedModel,
  startCli,
  startShell,
  tempFolder,
  until,
} from "./cli-process.ts";

/** Each gets a code of its own, but for SIGPIPE: nobody is told by it, a reader that is gone shows when we write. */
const CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGPIPE: 0 } as const;
type Signal = keyof typeof CODES;

interface Moment {
  name: string;
  /** After these the model is done. */
  script: Reply[];
  /** What is on stdout (one event a line) when the signal is sent. */
  sign: string;
  prepare?: (folder: string) => void;
}

const GAP_MS = 3;

/** `script` of util-linux gives the command a terminal of its own. */
const HAS_SCRIPT = spawnSync("script", ["--version"]).status === 0;

const BIG = "a line of a large file\n".repeat(40_000);

const MOMENTS: Moment[] = [
  {
    name: "a token",
    script: [text("word ".repeat(100), { eventDelayMs: 20 })],
    sign: "llm.token",
  },
  {
    name: "a tool",
    script: [toolUse("git", { command: "log" })],
    sign: "tool_call.started",
    // git waits for somebody to write its settings, until the call's time is over.
    prepare: (folder) => {
      execFileSync("git", ["init", "-q", folder], { env: cliEnv() });
      rmSync(join(folder, ".git/config"));
      execFileSync("mkfifo", [join(folder, ".git/config")]);
    },
  },
  {
    name: "a write",
    script: [toolUse("write_file", { path: "big.txt", content: BIG }, { chunkChars: 100_000 })],
    sign: "tool_call.started",
  },
  {
    name: "a retry's wait",
    script: [apiError(529, { retryAfter: 2 })],
    sign: "llm.retry",
  },
  { name: "the exit", script: [], sign: "run.finished" },
];

const counts = { signals: 0, readersGone: 0, finished: 0, verified: 0, resumed: 0 };
afterAll(() => console.log("signals tried:", JSON.stringify(counts)));

async function startedUntil({ script, sign, prepare }: Moment) {
  const { env: model, double } = await scriptedModel(
    () => script[double.requests.length - 1] ?? text("done"),
  );
  const env = { ...model, HOME: tempFolder() };
  const cwd = tempFolder();
  prepare?.(cwd);
  const flags = ["--sandbox", "workspace-write", "--output-format", "stream-json", "--tool-timeout", "1s"];
  const run = startCli(["run", "--goal", "go", ...flags], { env, cwd });
  await until(run, () => run.seen.stdout.includes(`"type":"${sign}"`));
  return { run, cwd, env };
}

async function interrupted(moment: Moment, signal: Signal, times: number) {
  const { run, cwd, env } = await startedUntil(moment);
  for (let sent = 0; sent < times; sent++) {
    // The kernel makes one of two that are not taken yet.
    if (sent > 0) await sleep(GAP_MS);
    run.child.kill(signal);
  }
  counts.signals += times;
  return { run, cwd, env, outcome: await run.done };
}

/** What a shell says: a signal that comes when Node has given up its handlers ends the process by itself. */
function shellCode({ code, signal }: CliOutcome): number | null {
  return signal === null ? code : 128 + constants.signals[signal];
}

function judgeLog(cwd: string): void {
  const runs = join(cwd, ".ruizn", "runs");
  const events = loggedEvents(runs);
  expect(events.filter(({ type }) => type === "run.finished")).toHaveLength(1);
  expect(events.at(-1)?.type).toBe("run.finished");
  counts.finished += 1;
  const [run = ""] = readdirSync(runs);
  const verdict = spawnSync(process.execPath, [BIN, "log", "verify", run], {
    cwd,
    env: cliEnv(),
    encoding: "utf8",
  });
  expect({ code: verdict.status, stderr: verdict.stderr }).toEqual({ code: 0, stderr: "" });
  counts.verified += 1;
}

async function judgeRest(cwd: string, { child }: CliProcess): Promise<void> {
  expect(
    await eventually(
      () => processesWith(cwd),
      (seen) => seen.length === 0,
    ),
  ).toEqual([]);
  expect(() => process.kill(child.pid ?? 0, 0)).toThrow("ESRCH");
  const left = readdirSync(cwd).filter((name) => ![".git", ".ruizn", "big.txt"].includes(name));
  expect(left).toEqual([]);
  // A file is there whole or not at all.
  if (readdirSync(cwd).includes("big.txt"))
    expect(readFileSync(join(cwd, "big.txt"), "utf8") === BIG).toBe(true);
}

/** What it left is enough to go on with. */
async function judgeResume(cwd: string, env: Record<string, string>): Promise<void> {
  const again = ["run", "-c", "--goal", "go on", "--sandbox", "workspace-write"];
  expect(await runCli(again, { cwd, env })).toMatchObject({ code: 0, stdout: "done\n" });
  counts.resumed += 1;
}

describe.each([1, 2])("sent %i times in a row", (times) => {
  describe.each(MOMENTS)("during $name", (moment) => {
    const signals = aShare(Object.keys(CODES) as Signal[], 2, times + MOMENTS.indexOf(moment));
    test.runIf(moment.name !== "a tool" || SEALABLE).each(signals)(
      "%s leaves one run.finished, a log that verifies, no process, no half file, and its code",
      async (signal) => {
        const { run, cwd, env, outcome } = await interrupted(moment, signal, times);
        const over = moment.sign === "run.finished" || moment.name === "a write";
        expect(over ? [0, CODES[signal]] : [CODES[signal]]).toContain(shellCode(outcome));
        expect(outcome.stderr).not.toMatch(/\bat .*:\d+:\d+/);
        judgeLog(cwd);
        await judgeRest(cwd, run);
        if (signal === "SIGINT") await judgeResume(cwd, env);
      },
    );
  });
});

describe("a reader that leaves", () => {
  test.each(MOMENTS.filter(({ name }) => name !== "a tool" || SEALABLE))(
    "during $name leaves a run that goes to its end",
    async (moment) => {
      const { run, cwd } = await startedUntil(moment);
      run.child.stdout?.destroy();
      counts.readersGone += 1;
      const { code, stderr } = await run.done;
      expect(code, stderr).toBe(0);
      judgeLog(cwd);
      await judgeRest(cwd, run);
    },
  );
});

test("a signal at any time from the start on leaves a log that verifies, or none, and its code", async () => {
  const codes = new Map<number | null, number>();
  const { env } = await scriptedModel(() => text("word ".repeat(1_000), { eventDelayMs: 20 }));
  for (let afterMs = 0; afterMs < 400; afterMs += effort(10, 40)) {
    const cwd = tempFolder();
    const run = startCli(["run", "--goal", "go"], { env, cwd });
    await sleep(afterMs);
    run.child.kill("SIGTERM");
    counts.signals += 1;
    const code = shellCode(await run.done);
    codes.set(code, (codes.get(code) ?? 0) + 1);
    const runs = join(cwd, ".ruizn", "runs");
    if (existsSync(runs) && readdirSync(runs).length > 0) judgeLog(cwd);
    await judgeRest(cwd, run);
  }
  expect([...codes.keys()]).toEqual([143]);
});

describe("a run whose streams are gone leaves the same", () => {
  const ENDLESS = [text("word ".repeat(20_000), { eventDelayMs: 20 })];
  const logged = (cwd: string) => {
    const runs = join(cwd, ".ruizn", "runs");
    const [run] = existsSync(runs) ? readdirSync(runs) : [];
    const file = join(runs, run ?? "", "events.jsonl");
    return run !== undefined && existsSync(file) ? readFileSync(file, "utf8") : "";
  };
  const ended = (cwd: string) =>
    eventually(
      () => logged(cwd),
      (log) => log.includes('"run.finished"'),
    );

  test.runIf(HAS_SCRIPT)("when its terminal is closed", async () => {
    const { env } = await scriptedModel(ENDLESS);
    const cwd = tempFolder();
    const command = `script -qec '"$NODE" "$BIN" run --goal go' /dev/null`;
    const run = startShell(`exec ${command}`, { env: { TERM: "xterm", ...env }, cwd });
    await until(run, () => logged(cwd).includes("llm.token"));
    run.child.kill("SIGKILL");
    expect(await ended(cwd)).toMatch(/"status":"aborted".*"signal":"SIGHUP"/);
    judgeLog(cwd);
    await judgeRest(cwd, run);
  });

  test("when stdin is closed", async () => {
    const { env } = await scriptedModel(ENDLESS);
    const cwd = tempFolder();
    const run = startShell('exec "$NODE" "$BIN" run --goal go <&-', { env, cwd });
    await until(run, () => logged(cwd).includes("llm.token"));
    run.child.kill("SIGINT");
    expect(shellCode(await run.done)).toBe(130);
    judgeLog(cwd);
    await judgeRest(cwd, run);
  });

  test("when stdout is a pipe that is full", async () => {
    const { env } = await scriptedModel([
      text("x".repeat(4_000_000), { chunkChars: 100_000, eventDelayMs: 10 }),
    ]);
    const cwd = tempFolder();
    const run = startCli(["run", "--goal", "go", "--output-format", "stream-json"], { env, cwd });
    run.child.stdout?.pause();
    await until(run, () => logged(cwd).split("llm.token").length > 10);
    run.child.kill("SIGTERM");
    const code = new Promise((resolve) => run.child.once("exit", resolve));
    expect(await code).toBe(143);
    judgeLog(cwd);
    await judgeRest(cwd, run);
  });
});

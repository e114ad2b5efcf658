import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { type MessagesDouble, type Script, startMessagesDouble } from "../../src/testing.ts";

/** The built command: tests of the command run the real thing, in a process of its own. */
export const BIN = fileURLToPath(new URL("../../dist/bin/ruizn.js", import.meta.url));

export interface CliOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** What stdin holds; `"open"` is a pipe that never ends; default: nothing to read. */
  stdin?: string | Buffer;
  uid?: number;
}

export interface CliOutcome {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface CliProcess {
  child: ChildProcess;
  /** What has come so far. */
  seen: { stdout: string; stderr: string };
  done: Promise<CliOutcome>;
}

/** Nothing of the machine's own settings, keys and proxies reaches a test. */
export function cliEnv(extra: Record<string, string> = {}): Record<string, string> {
  const { PATH = "", TMPDIR = tmpdir() } = process.env;
  return { PATH, TMPDIR, HOME: "/nonexistent", LANG: "C.UTF-8", ...extra };
}

export function startCli(args: readonly string[], options: CliOptions = {}): CliProcess {
  return startProcess(process.execPath, [BIN, ...args], options);
}

/** A shell script in which `$RUIZN` is the command. */
export function startShell(script: string, options: CliOptions = {}): CliProcess {
  const env = { ...options.env, NODE: process.execPath, BIN };
  return startProcess("bash", ["-c", `ruizn() { "$NODE" "$BIN" "$@"; }\n${script}`], { ...options, env });
}

function startProcess(command: string, args: readonly string[], options: CliOptions): CliProcess {
  const { cwd, env, stdin, uid } = options;
  const child = spawn(command, args, {
    cwd: cwd ?? tempFolder(),
    env: cliEnv(env),
    stdio: [stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    ...(uid !== undefined && { uid, gid: uid }),
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (stdin !== undefined && stdin !== "open") child.stdin?.end(stdin);
  const seen = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      seen[name] += text;
    });
  }
  const done = new Promise<CliOutcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ code, signal, ...seen }));
  });
  return { child, seen, done };
}

export function runCli(args: readonly string[], options?: CliOptions): Promise<CliOutcome> {
  return startCli(args, options).done;
}

/** A folder with these files, gone after the test. */
export function tempFolder(files: Record<string, string> = {}, prefix = "ruizn-cli-"): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** A scripted model, and the variables that lead a run to it. */
export async function scriptedModel(
  script: Script,
): Promise<{ double: MessagesDouble; env: Record<string, string> }> {
  const double = await startMessagesDouble({ script, contextWindow: 1e9 });
  onTestFinished(() => double.close());
  return {
    double,
    env: { ANTHROPIC_BASE_URL: double.url, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_MODEL: "claude-test" },
  };
}

export type LoggedEvent = { seq: number; type: string } & Record<string, unknown>;

/** The events of the only run in a workspace. */
export function loggedEvents(runs: string): LoggedEvent[] {
  const [run, ...more] = readdirSync(runs);
  if (run === undefined || more.length > 0) throw new Error(`not exactly one run in ${runs}`);
  return readFileSync(join(runs, run, "events.jsonl"), "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as LoggedEvent);
}

/** Waits for a sign of the process; fails when the process ends without it. */
export async function until(process: CliProcess, sign: () => boolean): Promise<void> {
  const ended = { yet: false };
  void process.done.then(() => {
    ended.yet = true;
  });
  while (!sign()) {
    if (ended.yet) throw new Error(`ended without it: ${JSON.stringify(process.seen)}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

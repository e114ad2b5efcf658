import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { startMessagesDouble } from "../testing/messages-double.ts";
import type { Script } from "../testing/reply.ts";
import { RUN_KEY } from "./run-attack.ts";
import type { Stage } from "./stage.ts";

export interface Command {
  child: ChildProcess;
  /** What it has written so far. */
  said: { stdout: string; stderr: string };
  /** Its end; a command that takes longer than this is killed. */
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; tookMs: number }>;
}

const KILLED_AFTER_MS = 8_000;

/** The command of this installation, in a process of its own and in the stage's workspace; gone after the case. */
export function startCommand(
  stage: Stage,
  args: readonly string[],
  env: Record<string, string> = {},
): Command {
  const { base, root } = stage.tree;
  const bin = join(
    dirname(createRequire(import.meta.url).resolve("#workers/tool-host.cjs")),
    "../bin/ruizn.js",
  );
  const startedAt = performance.now();
  const child = spawn(process.execPath, [bin, ...args], {
    cwd: root,
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: join(base, "home"), TMPDIR: base, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: KILLED_AFTER_MS,
    killSignal: "SIGKILL",
  });
  stage.after(() => child.kill("SIGKILL"));
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (text: string) => (said[name] += text));
  const ended = new Promise<Awaited<Command["ended"]>>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      stage.findings.note(`ruizn ${args.join(" ")}`, `${code ?? signal}: ${said.stderr || said.stdout}`);
      resolve({ code, signal, tookMs: performance.now() - startedAt });
    });
  });
  return { child, said, ended };
}

/** Variables that lead a run to a scripted model. */
export async function scriptedModel(stage: Stage, script: Script): Promise<Record<string, string>> {
  const double = await startMessagesDouble({ script });
  stage.after(() => double.close());
  return { ANTHROPIC_BASE_URL: double.url, ANTHROPIC_API_KEY: RUN_KEY, ANTHROPIC_MODEL: "claude-probe" };
}

/** Waits for a sign of the command; `false` when it ended without it. */
export async function until(command: Command, sign: () => boolean): Promise<boolean> {
  while (!sign()) {
    if (command.child.exitCode !== null || command.child.signalCode !== null) return sign();
    await new Promise((go) => setTimeout(go, 10));
  }
  return true;
}

/** The log of the one run in the workspace, as lines. */
export function logLines(stage: Stage): string[] {
  const runs = join(stage.tree.root, ".ruizn", "runs");
  return readdirSync(runs).flatMap((run) =>
    readFileSync(join(runs, run, "events.jsonl"), "utf8")
      .split("\n")
      .slice(0, -1),
  );
}

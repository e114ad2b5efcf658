import { type ChildProcess, spawn } from "node:child_process";
import { ToolFailure } from "../tool-body.ts";

export interface GitRun {
  root: string;
  args: readonly string[];
  environment: Record<string, string>;
  maxBytes: number;
  signal: AbortSignal;
}

export interface GitOutput {
  stdout: Buffer;
  stderr: string;
  /** There was more than `maxBytes`: git was ended there. */
  truncated: boolean;
  exitCode: number | null;
}

const STDERR_MAX_BYTES = 4_096;

/**
 * Runs git and reads what it says, up to a limit. git is ended when the call's time is up; when the thread is ended
 * first, the pool kills what the thread has started.
 */
export function runGit(run: GitRun): Promise<GitOutput> {
  const own = ["--no-pager", "--no-optional-locks", `--git-dir=${run.root}/.git`, `--work-tree=${run.root}`];
  const child = spawn("git", [...own, ...run.args], {
    cwd: run.root,
    env: run.environment,
    stdio: ["ignore", "pipe", "pipe"],
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    const collected = collect(child, run);
    child.once("error", (error: NodeJS.ErrnoException) => reject(notStarted(error)));
    child.once("close", (exitCode) => {
      if (run.signal.aborted)
        reject(new ToolFailure("timeout", "git took too long; narrow it with path or max_count"));
      else resolve({ ...collected(), exitCode });
    });
  });
}

function notStarted(error: NodeJS.ErrnoException): ToolFailure {
  if (error.code === "ENOENT") return new ToolFailure("not_found", "there is no git on this machine");
  return new ToolFailure("runtime_error", `git could not be started: ${error.message}`);
}

function collect(child: ChildProcess, run: GitRun): () => Pick<GitOutput, "stdout" | "stderr" | "truncated"> {
  const kill = (): void => void child.kill("SIGKILL");
  run.signal.addEventListener("abort", kill, { once: true });
  child.once("close", () => run.signal.removeEventListener("abort", kill));
  const stdout = bounded(run.maxBytes, kill);
  const stderr = bounded(STDERR_MAX_BYTES, () => {});
  child.stdout?.on("data", (chunk: Buffer) => stdout.take(chunk));
  child.stderr?.on("data", (chunk: Buffer) => stderr.take(chunk));
  return () => ({
    stdout: stdout.bytes(),
    stderr: stderr.bytes().toString("utf8"),
    truncated: stdout.full(),
  });
}

function bounded(
  maxBytes: number,
  onFull: () => void,
): { take(chunk: Buffer): void; bytes(): Buffer; full(): boolean } {
  const chunks: Buffer[] = [];
  let total = 0;
  return {
    take: (chunk) => {
      if (total > maxBytes) return;
      chunks.push(chunk);
      total += chunk.length;
      if (total > maxBytes) onFull();
    },
    bytes: () => Buffer.concat(chunks).subarray(0, maxBytes),
    full: () => total > maxBytes,
  };
}

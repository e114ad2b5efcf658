import { LIMITS } from "../../limits.ts";
import { judgePathText } from "../../sandbox/guard/path-text.ts";
import { codePointEnd } from "../text/code-points.ts";
import { type BodyContext, type BodyResult, type ToolBody, ToolFailure } from "../tool-body.ts";
import { gitArguments } from "./git-arguments.ts";
import { filterNames, gitEnvironment } from "./git-environment.ts";
import { checkRepository } from "./repository.ts";
import { type GitOutput, type GitRun, runGit } from "./run-git.ts";
import type { GitInput } from "./spec.ts";

const SETTINGS_MAX_BYTES = 262_144;
const MESSAGE_MAX_CHARS = 500;

export const gitBody: ToolBody<GitInput> = async (input, context) => {
  const { root } = context.workspace;
  const args = gitArguments(input, judgedPath(input, root));
  checkRepository(context.workspace);
  const base = { root, signal: context.signal };
  const environment = gitEnvironment(root, await filtersOf(base));
  const output = await runGit({ ...base, args, environment, maxBytes: LIMITS.readDefaultBytes });
  if (output.exitCode !== 0 && !output.truncated) throw refusedByGit(input, output);
  return resultOf(input, output);
};

function judgedPath(input: GitInput, root: BodyContext["workspace"]["root"]): string | undefined {
  if (input.path === undefined) return undefined;
  const judged = judgePathText(input.path, root);
  if (!judged.ok) throw new ToolFailure(judged.errorType, judged.message);
  return judged.relative;
}

/** Listing the settings runs nothing. */
export async function filtersOf(base: Pick<GitRun, "root" | "signal">): Promise<string[]> {
  const args = ["config", "--list", "--name-only", "--null"];
  const environment = gitEnvironment(base.root, []);
  const output = await runGit({ ...base, args, environment, maxBytes: SETTINGS_MAX_BYTES });
  if (output.exitCode === 0 && !output.truncated) return filterNames(output.stdout.toString("utf8"));
  throw new ToolFailure(
    "invalid_input",
    `the repository's settings can't be read: ${shortened(output.stderr)}`,
  );
}

function refusedByGit(input: GitInput, output: GitOutput): ToolFailure {
  return new ToolFailure("invalid_input", `git ${input.command}: ${shortened(output.stderr)}`, {
    exit_code: output.exitCode,
  });
}

export function shortened(stderr: string): string {
  const text = stderr.trim().replaceAll(/\s*\n\s*/g, "; ");
  return text === "" ? "it failed without a word" : text.slice(0, MESSAGE_MAX_CHARS);
}

function resultOf(input: GitInput, { stdout, truncated }: GitOutput): BodyResult {
  if (stdout.includes(0) && input.content) {
    throw new ToolFailure("invalid_input", `${input.path} is a binary file in ${input.rev ?? "HEAD"}`);
  }
  const end = truncated ? codePointEnd(stdout, stdout.length) : stdout.length;
  const text = new TextDecoder().decode(stdout.subarray(0, end));
  const data = { command: input.command, bytes_total: truncated ? null : end, bytes_shown: end, truncated };
  if (text === "") return { content: [{ type: "text", text: "(no output)" }], data };
  if (!truncated) return { content: [{ type: "text", text }], data };
  const note = "The output is longer; narrow it with path, stat, max_count or a smaller range.";
  return {
    content: [
      { type: "text", text: `${text}\n[truncated]` },
      { type: "text", text: note },
    ],
    data,
  };
}

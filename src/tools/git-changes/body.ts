import { LIMITS } from "../../limits.ts";
import { judgePathText } from "../../sandbox/guard/path-text.ts";
import { filtersOf, shortened } from "../git/body.ts";
import { exclusions, PLAIN_DIFF, PLAIN_LOG } from "../git/git-arguments.ts";
import { gitEnvironment } from "../git/git-environment.ts";
import { checkRepository } from "../git/repository.ts";
import { runGit } from "../git/run-git.ts";
import { type BodyContext, type ToolBody, ToolFailure } from "../tool-body.ts";
import type { GitChangesInput } from "./spec.ts";

/** Deleted files have no lines left, and a renamed one is a new one. */
const CHANGES = [...PLAIN_DIFF, "--no-renames", "--diff-filter=d"];

const OWN_FOLDER = [":(top,exclude,glob)**/.ruizn/**"];

export const gitChangesBody: ToolBody<GitChangesInput> = async (input, context) => {
  const { root } = context.workspace;
  const args = argumentsOf(input, judgedPath(input, root));
  checkRepository(context.workspace);
  const base = { root, signal: context.signal };
  const environment = gitEnvironment(root, await filtersOf(base));
  const output = await runGit({ ...base, args, environment, maxBytes: LIMITS.readMaxBytes });
  if (output.truncated)
    throw new ToolFailure("output_limit", `git has more than ${LIMITS.readMaxBytes} bytes to say of it`);
  if (output.exitCode !== 0) throw new ToolFailure("invalid_input", `git: ${shortened(output.stderr)}`);
  const binary = input.of === "content" && output.stdout.includes(0);
  if (binary) throw new ToolFailure("invalid_input", "it is a binary file");
  const text = new TextDecoder().decode(output.stdout);
  return { content: [{ type: "text", text }], data: { bytes_total: output.stdout.length } };
};

function judgedPath(input: GitChangesInput, root: BodyContext["workspace"]["root"]): string | undefined {
  if (input.path === undefined) return undefined;
  const judged = judgePathText(input.path, root);
  if (!judged.ok) throw new ToolFailure(judged.errorType, judged.message);
  return judged.relative;
}

function argumentsOf({ of, rev = "HEAD" }: GitChangesInput, path: string | undefined): string[] {
  const shape = path === undefined ? ["--name-only", "-z"] : ["--patch", "--unified=0"];
  // Names of what the guard keeps closed are listed: that they cannot be read has to be said.
  const only = ["--", ...(path === undefined ? OWN_FOLDER : [`:(top,literal)${path}`, ...exclusions()])];
  switch (of) {
    case "base":
      return ["diff", ...CHANGES, ...shape, "--merge-base", rev, ...only];
    case "uncommitted":
      return ["diff", ...CHANGES, ...shape, "HEAD", ...only];
    case "commit":
      return [
        "show",
        ...PLAIN_LOG,
        "--format=",
        "--diff-merges=first-parent",
        ...CHANGES,
        ...shape,
        rev,
        ...only,
      ];
    case "untracked":
      return ["ls-files", "-z", "--others", "--exclude-standard", ...only];
    case "files":
      return ["ls-files", "-z", "--cached", "--others", "--exclude-standard", ...only];
    case "content":
      return ["cat-file", "-p", `${rev}:${path ?? ""}`];
  }
}

import { DENIED_NAMES } from "../../sandbox/guard/denied-paths.ts";
import { ToolFailure } from "../tool-body.ts";
import type { GitInput } from "./spec.ts";

type Command = GitInput["command"];
type Option = Exclude<keyof GitInput, "command">;

const TAKES: Readonly<Record<Command, readonly Option[]>> = {
  status: ["path"],
  diff: ["rev", "path", "staged", "stat", "context_lines"],
  log: ["rev", "path", "stat", "max_count"],
  show: ["rev", "path", "content", "stat", "context_lines"],
  blame: ["rev", "path", "line_start", "line_end"],
};

const DEFAULT_LOG_COUNT = 20;

/** Whatever the repository's configuration says: nothing is run for a diff, and no submodule is entered. */
export const PLAIN_DIFF = [
  "--no-color",
  "--no-ext-diff",
  "--no-textconv",
  "--submodule=short",
  "--ignore-submodules=all",
  "--src-prefix=a/",
  "--dst-prefix=b/",
];
export const PLAIN_LOG = [
  "--no-color",
  "--no-show-signature",
  "--no-notes",
  "--no-mailmap",
  "--format=medium",
];

/**
 * The arguments after git's own options: from a fixed list, with what the model wrote as values only, and paths
 * behind `--` as literal ones.
 * @param path relative to the root, judged; undefined when none was given.
 * @throws ToolFailure invalid_input for an option that the command does not take
 */
export function gitArguments(input: GitInput, path: string | undefined): string[] {
  refuseForeignOptions(input);
  const rev = input.rev === undefined ? [] : [input.rev];
  const only = path === undefined ? [] : [`:(top,literal)${path}`];
  switch (input.command) {
    case "status":
      return [
        "status",
        "--porcelain=v1",
        "--branch",
        "--untracked-files=normal",
        "--ignore-submodules=all",
        "--",
        ...only,
      ];
    case "diff":
      return [
        "diff",
        ...PLAIN_DIFF,
        ...diffOptions(input),
        ...(input.staged ? ["--cached"] : []),
        ...rev,
        "--",
        ...only,
        ...exclusions(),
      ];
    case "log":
      return [
        "log",
        ...PLAIN_LOG,
        ...PLAIN_DIFF,
        "--diff-merges=off",
        `--max-count=${input.max_count ?? DEFAULT_LOG_COUNT}`,
        ...(input.stat ? ["--stat"] : ["--no-patch"]),
        ...rev,
        "--",
        ...only,
      ];
    case "show":
      if (input.content) return ["cat-file", "-p", `${input.rev ?? "HEAD"}:${path ?? ""}`];
      // Of a merge, the plain combined diff: a remerge would run merge drivers.
      return [
        "show",
        ...PLAIN_LOG,
        ...PLAIN_DIFF,
        "--diff-merges=dense-combined",
        ...diffOptions(input),
        ...rev,
        "--",
        ...only,
        ...exclusions(),
      ];
    case "blame":
      return [
        "blame",
        "--no-textconv",
        // Its contents would stand in git's complaint when it is no such file; setting it empty does not undo it.
        "--no-ignore-revs-file",
        "--date=short",
        "--no-color-lines",
        "--no-color-by-age",
        ...lineRange(input),
        ...rev,
        "--",
        path ?? "",
      ];
  }
}

function refuseForeignOptions(input: GitInput): void {
  const { command } = input;
  for (const option of Object.keys(input) as (keyof GitInput)[]) {
    if (option === "command" || TAKES[command].includes(option)) continue;
    throw new ToolFailure("invalid_input", `${option} is no option of git ${command}`);
  }
  const needsPath = command === "blame" || (command === "show" && input.content === true);
  if (needsPath && input.path === undefined) {
    throw new ToolFailure(
      "invalid_input",
      `git ${command}${input.content ? " with content" : ""} needs a path`,
    );
  }
  if (input.content && (input.stat !== undefined || input.context_lines !== undefined)) {
    throw new ToolFailure(
      "invalid_input",
      "content shows a file: stat and context_lines are for what a commit changed",
    );
  }
}

function diffOptions(input: GitInput): string[] {
  const context = input.context_lines === undefined ? [] : [`--unified=${input.context_lines}`];
  return input.stat ? ["--stat"] : ["--patch", ...context];
}

function lineRange({ line_start, line_end }: GitInput): string[] {
  return line_start === undefined && line_end === undefined
    ? []
    : ["-L", `${line_start ?? 1},${line_end ?? ""}`];
}

/** What the guard keeps from the other tools is kept out of diffs as well. */
export function exclusions(): string[] {
  return DENIED_NAMES.flatMap((name) => [
    `:(top,exclude,icase,glob)**/${name}`,
    `:(top,exclude,icase,glob)**/${name}/**`,
  ]);
}

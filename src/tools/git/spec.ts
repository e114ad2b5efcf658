import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";

const LINE = { type: "integer", minimum: 1 } as const;

/** Never an option: it begins with a letter, a digit or @. */
export const REV = {
  type: "string",
  maxLength: 200,
  pattern: "^[A-Za-z0-9_@][A-Za-z0-9_./@{}^~+-]*(?:\\.\\.\\.?[A-Za-z0-9_@][A-Za-z0-9_./@{}^~+-]*)?$",
} as const;

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["command"],
  properties: {
    command: { type: "string", enum: ["status", "diff", "log", "show", "blame"] },
    rev: {
      ...REV,
      description: "A commit such as HEAD~2, a branch, a tag, or a range such as main..topic.",
    },
    path: { type: "string", minLength: 1, description: "Only this file or directory; for blame, the file." },
    content: {
      type: "boolean",
      description: "For show: the text of the file at path as it was in rev, instead of what rev changed.",
    },
    staged: { type: "boolean", description: "For diff: what is staged, against HEAD." },
    stat: {
      type: "boolean",
      description: "For diff, log and show: names and numbers of changed lines only.",
    },
    context_lines: { type: "integer", minimum: 0, maximum: 100, description: "For diff and show." },
    max_count: {
      type: "integer",
      minimum: 1,
      maximum: 500,
      description: "For log: commits to show (default 20).",
    },
    line_start: { ...LINE, description: "For blame: first line." },
    line_end: { ...LINE, description: "For blame: last line." },
  },
} as const;

export type GitInput = FromSchema<typeof SCHEMA>;

export class GitTool extends BaseTool<typeof SCHEMA> {
  readonly name = "git";
  readonly description =
    "Looks at the git repository in the workspace's root: status, diff, log, show (a commit, or with content a file as " +
    "it was) and blame. It changes nothing, runs nothing that the repository is configured to run, and reaches no " +
    "network. Output over 50 KB is cut; narrow it with path, stat or max_count.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "shell";
  override readonly body = "git";

  override paths(input: GitInput): PathUse[] {
    return input.path === undefined ? [] : [{ path: input.path, access: "read" }];
  }
}

import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { REV } from "../git/spec.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["of"],
  properties: {
    of: {
      type: "string",
      enum: ["base", "commit", "uncommitted", "untracked", "files", "content"],
      description:
        "base: what changed since HEAD left rev; commit: what rev changed; uncommitted: against HEAD; untracked and " +
        "files: which there are; content: the file at path as it was in rev.",
    },
    rev: REV,
    path: { type: "string", minLength: 1, description: "The changed lines of this file instead of names." },
  },
} as const;

export type GitChangesInput = FromSchema<typeof SCHEMA>;

/** Which files and lines changed, in git's form for programs: no model is offered it. */
export class GitChangesTool extends BaseTool<typeof SCHEMA> {
  readonly name = "git_changes";
  readonly description = "Which files and lines of the repository changed, in git's form for programs.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "shell";
  override readonly body = "git_changes";

  override paths(input: GitChangesInput): PathUse[] {
    return input.path === undefined ? [] : [{ path: input.path, access: "read" }];
  }
}

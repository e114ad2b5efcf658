import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { WALK_PROPERTIES } from "../walk/common-properties.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  properties: {
    path: { type: "string", minLength: 1, description: 'Directory to list (default ".", the workspace).' },
    depth: {
      type: "integer",
      minimum: 1,
      maximum: 20,
      description: "How many levels to show (default 1: the directory's own entries).",
    },
    max_entries: { type: "integer", minimum: 1, maximum: 10_000, description: "Default 1000." },
    gitignore: WALK_PROPERTIES.gitignore,
  },
} as const;

export type ListDirInput = FromSchema<typeof SCHEMA>;

export class ListDirTool extends BaseTool<typeof SCHEMA> {
  readonly name = "list_dir";
  readonly description =
    "Lists a directory of the workspace as an indented tree, sorted by name. Directories end with /, symbolic links " +
    "show their target after -> (marked when it leads outside the workspace) and are not followed. Names that begin with a dot are shown, what .gitignore names " +
    "is not; .git is named but not looked into. Use depth for more levels, glob to find files by name.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "list_dir";

  override paths(input: ListDirInput): PathUse[] {
    return [{ path: input.path ?? ".", access: "read" }];
  }
}

import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { WALK_PROPERTIES } from "../walk/common-properties.ts";
import { FILE_TYPE_NAMES } from "./file-types.ts";

const CONTEXT = { type: "integer", minimum: 0, maximum: 50 } as const;

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["pattern"],
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description: "RE2 regular expression, matched line by line. No look-around and no back-references.",
    },
    path: { type: "string", minLength: 1, description: 'File or directory (default ".", the workspace).' },
    globs: {
      type: "array",
      maxItems: 20,
      items: { type: "string", minLength: 1, maxLength: 500 },
      description: "Search only files that match one of these; one that begins with ! leaves its files out.",
    },
    type: { type: "string", enum: FILE_TYPE_NAMES, description: "Search only files of this type." },
    output_mode: {
      type: "string",
      enum: ["content", "files_with_matches", "count"],
      description:
        "Matching lines (default), only the files' names, or the number of matching lines of each file.",
    },
    literal: { type: "boolean", description: "Take the pattern as plain text." },
    word: { type: "boolean", description: "Match whole words only." },
    case: {
      type: "string",
      enum: ["sensitive", "insensitive", "smart"],
      description: "Default sensitive; smart ignores case unless the pattern has a capital letter.",
    },
    before_context: { ...CONTEXT, description: "Lines to show before each match." },
    after_context: { ...CONTEXT, description: "Lines to show after each match." },
    context: { ...CONTEXT, description: "Lines to show before and after each match." },
    max_count: { type: "integer", minimum: 1, description: "Matching lines of one file, at most." },
    max_results: {
      type: "integer",
      minimum: 1,
      maximum: 2_000,
      description: "Matching lines, or files, of all files together, at most (default 500).",
    },
    ...WALK_PROPERTIES,
  },
} as const;

export type GrepInput = FromSchema<typeof SCHEMA>;

export class GrepTool extends BaseTool<typeof SCHEMA> {
  readonly name = "grep";
  readonly description =
    "Searches the text of files with a regular expression, as ripgrep does: line by line, without what .gitignore " +
    "names, hidden files and binary files. Output is path:line:text for matches and path-line-text for context. " +
    "Use it to find where something is, read_file to see more of the place.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "grep";

  override paths(input: GrepInput): PathUse[] {
    return [{ path: input.path ?? ".", access: "read" }];
  }
}

import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { WALK_PROPERTIES } from "../walk/common-properties.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["pattern"],
  properties: {
    pattern: {
      type: "string",
      minLength: 1,
      maxLength: 1_000,
      description: "Such as **/*.ts, src/*/index.{js,ts} or test/[a-f]*.txt; relative to path.",
    },
    path: { type: "string", minLength: 1, description: 'Directory to search (default ".", the workspace).' },
    max_results: { type: "integer", minimum: 1, maximum: 10_000, description: "Default 1000." },
    ...WALK_PROPERTIES,
  },
} as const;

export type GlobInput = FromSchema<typeof SCHEMA>;

export class GlobTool extends BaseTool<typeof SCHEMA> {
  readonly name = "glob";
  readonly description =
    "Finds files of the workspace by name. * and ? stay within one path segment, ** spans any number of them, {a,b} " +
    "is either, [a-z] and [!a-z] are classes. Wildcards skip names that begin with a dot unless hidden is true; " +
    "what .gitignore names is left out. One path a line, sorted, relative to the workspace; files and symbolic " +
    "links, not directories. Use grep to search what is in files.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "glob";

  override paths(input: GlobInput): PathUse[] {
    return [{ path: input.path ?? ".", access: "read" }];
  }
}

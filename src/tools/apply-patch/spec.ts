import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { type FilePatch, parsePatch } from "./parse-patch.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["patch"],
  properties: {
    patch: {
      type: "string",
      minLength: 1,
      description: "A unified diff of one or more files, with --- and +++ lines and correct @@ counts.",
    },
  },
} as const;

export type ApplyPatchInput = FromSchema<typeof SCHEMA>;

export class ApplyPatchTool extends BaseTool<typeof SCHEMA> {
  readonly name = "apply_patch";
  readonly description =
    "Applies a unified diff to one or more files: changes, creations (--- /dev/null) and deletions (+++ /dev/null). " +
    "Context and deleted lines must be in the file to the letter; a hunk may have moved, its line numbers are a hint. " +
    "All files are changed or none. No renames, modes or binary patches.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
  readonly profile = "write";
  override readonly body = "apply_patch";

  override paths(input: ApplyPatchInput): PathUse[] {
    return filesOf(input.patch).map(({ before, after }) => ({
      path: after ?? before ?? "",
      access: "write",
    }));
  }
}

/** A malformed patch names no file; the body says what is wrong with it. */
function filesOf(patch: string): FilePatch[] {
  try {
    return parsePatch(patch);
  } catch {
    return [];
  }
}

import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { EXPECTED_SHA256 } from "../edit/expected-version.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["path", "edits"],
  properties: {
    path: { type: "string", minLength: 1, description: "File to change, relative to the workspace." },
    edits: {
      type: "array",
      minItems: 1,
      maxItems: 50,
      description: "Made in order, each on what the one before left; all of them or none.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["old_string", "new_string"],
        properties: {
          old_string: {
            type: "string",
            minLength: 1,
            description: "The exact text to replace, with enough around it to be found once only.",
          },
          new_string: { type: "string", description: "What to put in its place." },
          replace_all: { type: "boolean", description: "Replace every place (default false)." },
        },
      },
    },
    expected_sha256: EXPECTED_SHA256,
  },
} as const;

export type EditFileInput = FromSchema<typeof SCHEMA>;

export class EditFileTool extends BaseTool<typeof SCHEMA> {
  readonly name = "edit_file";
  readonly description =
    "Replaces text in a file. Each old_string must be in the file exactly once, to the letter, unless replace_all is " +
    "true; nothing is written when one of the edits does not fit. Everything else in the file stays as it is to the " +
    "byte, line ends included. Returns the change as a unified diff. UTF-8 files up to 524288 bytes.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: false };
  readonly profile = "write";
  override readonly body = "edit_file";

  override paths(input: EditFileInput): PathUse[] {
    return [{ path: input.path, access: "write" }];
  }
}

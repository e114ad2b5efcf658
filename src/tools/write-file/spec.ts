import type { FromSchema } from "json-schema-to-ts";
import { BaseTool, type PathUse } from "../base-tool.ts";
import { EXPECTED_SHA256 } from "../edit/expected-version.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["path", "content"],
  properties: {
    path: { type: "string", minLength: 1, description: "File to write, relative to the workspace." },
    content: { type: "string", description: "The whole new text of the file." },
    overwrite: { type: "boolean", description: "Replace the file when there is one (default false)." },
    expected_sha256: EXPECTED_SHA256,
  },
} as const;

export type WriteFileInput = FromSchema<typeof SCHEMA>;

export class WriteFileTool extends BaseTool<typeof SCHEMA> {
  readonly name = "write_file";
  readonly description =
    "Creates a file with the given text, and the directories above it, or replaces one. An existing file is replaced " +
    "only with overwrite: true or with expected_sha256, the sha256 that read_file gave for it. The file is replaced " +
    "at once or not at all. At most 524288 bytes. Use edit_file to change parts of a file.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: false, destructiveHint: true, idempotentHint: true };
  readonly profile = "write";
  override readonly body = "write_file";

  override paths(input: WriteFileInput): PathUse[] {
    return [{ path: input.path, access: "write" }];
  }
}

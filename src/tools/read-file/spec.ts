import type { FromSchema } from "json-schema-to-ts";
import { LIMITS } from "../../limits.ts";
import { BaseTool, type PathUse } from "../base-tool.ts";

const LINE_NUMBER = { type: "integer", minimum: 1 } as const;

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["path"],
  properties: {
    path: { type: "string", minLength: 1, description: "File to read, relative to the workspace." },
    offset: { ...LINE_NUMBER, description: "First line to show; the first line of the file is 1." },
    limit: { ...LINE_NUMBER, description: "How many lines to show (default 2000)." },
    ranges: {
      type: "array",
      minItems: 1,
      maxItems: 20,
      description: "Several parts of the file at once, instead of offset and limit.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["offset", "limit"],
        properties: { offset: LINE_NUMBER, limit: LINE_NUMBER },
      },
    },
    max_bytes: {
      type: "integer",
      minimum: 100,
      maximum: LIMITS.readMaxBytes,
      description: "How many bytes of text to show at most (default 51200).",
    },
    byte_offset: {
      type: "integer",
      minimum: 0,
      description:
        "Start at this byte; lines are then counted from there. For what lies beyond 524288 bytes.",
    },
  },
} as const;

export type ReadFileInput = FromSchema<typeof SCHEMA>;

export class ReadFileTool extends BaseTool<typeof SCHEMA> {
  readonly name = "read_file";
  readonly description =
    "Reads a file of the workspace. Text comes back as it is, without line numbers, at most 2000 lines or 50 KB " +
    "unless limit and max_bytes say otherwise; when there is more, a second block says how to go on. PNG, JPEG, GIF " +
    "and WebP come back as images, notebooks (.ipynb) as their cells' text. Other binary files are refused. At most " +
    "512 KiB of a file are read in one call. Use offset and limit, or ranges, for parts of a large file.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "read_file";

  override paths(input: ReadFileInput): PathUse[] {
    return [{ path: input.path, access: "read" }];
  }
}

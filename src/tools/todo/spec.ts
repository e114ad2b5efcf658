import type { FromSchema } from "json-schema-to-ts";
import { BaseTool } from "../base-tool.ts";

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["items"],
  properties: {
    items: {
      type: "array",
      maxItems: 100,
      description: "The whole plan, in order; it takes the place of the one before.",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["content", "status"],
        properties: {
          content: { type: "string", minLength: 1, maxLength: 500, description: "What is to be done." },
          status: { type: "string", enum: ["pending", "in_progress", "done"] },
        },
      },
    },
  },
} as const;

export type TodoInput = FromSchema<typeof SCHEMA>;

export class TodoTool extends BaseTool<typeof SCHEMA> {
  readonly name = "todo";
  readonly description =
    "Keeps your plan for a task of several steps in this conversation. Send the whole list each time a step begins or " +
    "ends; at most one item is in_progress. It touches no file.";
  readonly inputSchema = SCHEMA;
  readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  readonly profile = "read";
  override readonly body = "todo";
}

import { BaseTool } from "../base-tool.ts";
import type { ToolFacts } from "./tool-definition.ts";

/** Asks a tool module what it says of its tool: a call like any other, in a sealed host, and its result re-checked. */
export class DescribeTool extends BaseTool {
  override readonly name = "describe";
  override readonly description = "";
  override readonly inputSchema = { type: "object" } as const;
  override readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  override readonly profile = "read";
  override readonly body = "describe";
  override readonly module: string;

  constructor(module: string) {
    super();
    this.module = module;
  }
}

const DESCRIPTION_MAX_CHARS = 10_000;
const TIMEOUT_MAX_MS = 86_400_000;

/** The facts of a definition, or what is wrong with them, as the end of a sentence that begins with the file's name. */
export function factsOf(data: Record<string, unknown>): ToolFacts | string {
  const { name, description, inputSchema, workspace, idempotent, timeoutMs } = data;
  if (typeof name !== "string") return `has no "name"`;
  if (typeof description !== "string" || description.trim() === "")
    return `has no "description" for the model`;
  if (description.length > DESCRIPTION_MAX_CHARS)
    return `has a "description" of ${description.length} characters, limit ${DESCRIPTION_MAX_CHARS}`;
  if (typeof inputSchema !== "object" || inputSchema === null || Array.isArray(inputSchema))
    return `has no "inputSchema": a JSON Schema of type "object"`;
  if (workspace !== "read" && workspace !== "write")
    return `asks for permissions.workspace ${JSON.stringify(workspace)}; there are "read" and "write"`;
  if (typeof idempotent !== "boolean") return `says "idempotent" with something else than true or false`;
  if (timeoutMs !== null && !isTimeout(timeoutMs))
    return `has a "timeoutMs" that is no number of milliseconds`;
  return { name, description, inputSchema, workspace, idempotent, timeoutMs };
}

function isTimeout(value: unknown): value is number {
  return typeof value === "number" && value >= 1 && value <= TIMEOUT_MAX_MS;
}

import type { JSONSchema } from "json-schema-to-ts";
import { BaseTool, type ToolAnnotations, type ToolProfile } from "../base-tool.ts";
import type { ToolFacts } from "./tool-definition.ts";

/** A tool of the user's, as its module describes it. The module itself is loaded in a sealed tool host alone. */
export class UserTool extends BaseTool {
  override readonly name: string;
  override readonly description: string;
  override readonly inputSchema: JSONSchema;
  override readonly annotations: ToolAnnotations;
  override readonly profile: ToolProfile;
  override readonly module: string;
  override readonly timeoutMs: number | undefined;

  constructor(facts: ToolFacts, module: string) {
    super();
    const writes = facts.workspace === "write";
    this.name = facts.name;
    this.description = facts.description;
    this.inputSchema = facts.inputSchema as JSONSchema;
    this.annotations = { readOnlyHint: !writes, destructiveHint: writes, idempotentHint: facts.idempotent };
    this.profile = facts.workspace;
    this.module = module;
    this.timeoutMs = facts.timeoutMs ?? undefined;
  }
}

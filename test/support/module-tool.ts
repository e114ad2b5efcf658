import type { JSONSchema } from "json-schema-to-ts";
import { BaseTool, type ToolProfile } from "../../src/tools/base-tool.ts";

/** A tool that lives in a module of test/fixtures/hostile and takes any input. */
export class ModuleTool extends BaseTool {
  override readonly name: string;
  override readonly description = "A module under test.";
  override readonly inputSchema: JSONSchema = { type: "object" };
  override readonly annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  override readonly profile: ToolProfile;
  override readonly module: string;
  override readonly timeoutMs: number | undefined;

  constructor(name: string, options: { timeoutMs?: number; profile?: ToolProfile; module?: string } = {}) {
    super();
    this.name = name;
    this.profile = options.profile ?? "read";
    this.module = options.module ?? new URL(`../fixtures/hostile/${name}.js`, import.meta.url).href;
    this.timeoutMs = options.timeoutMs;
  }
}

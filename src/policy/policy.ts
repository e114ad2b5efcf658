import type { BaseTool } from "../tools/base-tool.ts";

export type PolicyDecision = { allowed: true } | { allowed: false; reason: string };

/** Decides whether a validated call may be made at all. Must not throw. */
export interface Policy {
  decide(tool: BaseTool, input: unknown): PolicyDecision;
}

import type { BaseTool } from "../tools/base-tool.ts";
import { readTools, writeTools } from "../tools/built-in.ts";

/** Every tool there is; the policy decides which of them a run offers. */
export function allTools(): BaseTool[] {
  return [...readTools(), ...writeTools()];
}

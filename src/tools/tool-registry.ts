import type { ToolDescription } from "../provider/provider.ts";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "./base-tool.ts";
import { compileInputSchema, type InputValidator } from "./input-schema.ts";

/** The Messages API's own rule for tool names. */
export const TOOL_NAME_PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

export interface RegisteredTool {
  readonly tool: BaseTool;
  readonly validate: InputValidator;
}

/** The tools of a run. A tool with a bad name or schema is refused when it is registered, not when it is called. */
export class ToolRegistry {
  readonly #tools = new Map<string, RegisteredTool>();

  constructor(tools: Iterable<BaseTool> = []) {
    for (const tool of tools) this.register(tool);
  }

  /** @throws RuiZNError tool_invalid */
  register(tool: BaseTool): void {
    if (!TOOL_NAME_PATTERN.test(tool.name)) {
      throw new RuiZNError(
        "tool_invalid",
        `tool name ${JSON.stringify(tool.name)} does not match ${TOOL_NAME_PATTERN}`,
      );
    }
    if (this.#tools.has(tool.name)) {
      throw new RuiZNError("tool_invalid", `a tool named ${tool.name} is registered already`);
    }
    this.#tools.set(tool.name, { tool, validate: compileInputSchema(tool) });
  }

  get(name: string): RegisteredTool | undefined {
    return this.#tools.get(name);
  }

  /** In order of registration. */
  names(): string[] {
    return [...this.#tools.keys()];
  }

  /** In order of registration. */
  tools(): BaseTool[] {
    return [...this.#tools.values()].map(({ tool }) => tool);
  }

  /** For the API: sorted by name, so that the order of registration cannot change the cached prefix. */
  describe(): ToolDescription[] {
    return [...this.#tools.values()]
      .map(({ tool }) => ({
        name: tool.name,
        description: tool.description,
        input_schema: tool.inputSchema as Record<string, unknown>,
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}

import type { BaseTool } from "../tools/base-tool.ts";
import { readTools, writeTools } from "../tools/built-in.ts";
import type { CommandOptions } from "./command-options.ts";
import type { CliIo } from "./io.ts";

/** The tools that come with the package. */
export function builtInTools(): BaseTool[] {
  return [...readTools(), ...writeTools()];
}

export interface OpenedTools {
  tools: BaseTool[];
  /** When none of them is called any more. */
  close: () => void;
}

/**
 * Every tool there is, those of the user's (--tool) included; the policy decides which of them a run offers.
 * @throws RuiZNError tool_invalid
 */
export async function allTools(
  { settings, workspace }: Pick<CommandOptions, "settings" | "workspace">,
  io: Pick<CliIo, "stopSignal">,
): Promise<OpenedTools> {
  const files = settings.tools ?? [];
  const builtIn = builtInTools();
  if (files.length === 0) return { tools: builtIn, close() {} };
  const { loadUserTools } = await import("../tools/user/load-user-tools.ts");
  const { tools, close } = await loadUserTools(files, {
    root: workspace,
    seal: settings.require_seal ? "require" : "try",
    taken: builtIn.map(({ name }) => name),
    signal: io.stopSignal(),
  });
  return { tools: [...builtIn, ...tools], close };
}

import type { LayerSwitches } from "../../sandbox/protocol.ts";
import { ToolPool } from "../../sandbox/tool-pool.ts";
import type { BaseTool } from "../base-tool.ts";
import { invokeTool } from "../invoke-tool.ts";
import { ToolRegistry } from "../tool-registry.ts";
import { DescribeTool, factsOf } from "./describe-tool.ts";
import { openToolSource, toolInvalid, type ToolSource } from "./tool-source.ts";
import { UserTool } from "./user-tool.ts";

export interface UserToolsOptions {
  /** The workspace. */
  root: string;
  /** As for the run. */
  seal: "require" | "try" | "off";
  /** Where the modules' code is read and described. A tool host by default; never this thread. */
  isolation?: "thread" | "process";
  /** Names that other tools have. */
  taken?: readonly string[];
  switches?: LayerSwitches;
  signal?: AbortSignal;
}

export interface UserTools {
  tools: BaseTool[];
  /** After the last call: removes what was made to load them. */
  close: () => void;
}

/**
 * Tools of the user's, each from the module at one of these paths. Their code runs in sealed tool hosts alone, also to
 * say what they are.
 * @throws RuiZNError tool_invalid
 */
export async function loadUserTools(files: readonly string[], options: UserToolsOptions): Promise<UserTools> {
  const sources: ToolSource[] = [];
  const close = (): void => {
    for (const source of sources.splice(0)) source.close();
  };
  const { root, seal, isolation = "process", switches = {} } = options;
  const pool = new ToolPool({ root, seal, isolation, switches, maxThreads: 1 });
  try {
    const tools: BaseTool[] = [];
    for (const file of files) {
      const source = await openToolSource(file);
      sources.push(source);
      const tool = await describe(source, pool, options.signal);
      if ([...(options.taken ?? []), ...tools.map(({ name }) => name)].includes(tool.name))
        throw toolInvalid(file, `has a name that is taken: ${tool.name}`);
      tools.push(tool);
    }
    return { tools, close };
  } catch (error) {
    close();
    throw error;
  } finally {
    await pool.close();
  }
}

async function describe(
  { file, module }: ToolSource,
  pool: ToolPool,
  signal?: AbortSignal,
): Promise<UserTool> {
  const result = await invokeTool(
    { id: "describe", name: "describe", input: {} },
    {
      registry: new ToolRegistry([new DescribeTool(module)]),
      pool,
      policy: { decide: () => ({ allowed: true }) },
      signal: signal ?? new AbortController().signal,
    },
  );
  if (result.isError) {
    const said = result.content.map((block) => (block.type === "text" ? block.text : "")).join(" ");
    throw toolInvalid(file, `can't be used: ${said.slice(`${result.errorType}: describe: `.length)}`);
  }
  const facts = factsOf(result.data);
  if (typeof facts === "string") throw toolInvalid(file, facts);
  const tool = new UserTool(facts, module);
  // Name and schema are judged here, where the file can be named.
  try {
    new ToolRegistry([tool]);
  } catch (error) {
    throw toolInvalid(file, `is refused: ${error instanceof Error ? error.message : String(error)}`);
  }
  return tool;
}

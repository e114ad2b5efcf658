import type { BaseTool } from "./base-tool.ts";
import { GlobTool } from "./glob/spec.ts";
import { GrepTool } from "./grep/spec.ts";
import { ListDirTool } from "./list-dir/spec.ts";
import { ReadFileTool } from "./read-file/spec.ts";

/** The tools of every run: they look and never change anything. */
export function readTools(): BaseTool[] {
  return [new ReadFileTool(), new ListDirTool(), new GlobTool(), new GrepTool()] as BaseTool[];
}

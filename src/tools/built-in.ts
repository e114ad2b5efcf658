import { ApplyPatchTool } from "./apply-patch/spec.ts";
import type { BaseTool } from "./base-tool.ts";
import { EditFileTool } from "./edit-file/spec.ts";
import { GitTool } from "./git/spec.ts";
import { GlobTool } from "./glob/spec.ts";
import { GrepTool } from "./grep/spec.ts";
import { ListDirTool } from "./list-dir/spec.ts";
import { ReadFileTool } from "./read-file/spec.ts";
import { TodoTool } from "./todo/spec.ts";
import { WriteFileTool } from "./write-file/spec.ts";

/** The tools of every run: they look and never change anything. */
export function readTools(): BaseTool[] {
  return [
    new ReadFileTool(),
    new ListDirTool(),
    new GlobTool(),
    new GrepTool(),
    new GitTool(),
    new TodoTool(),
  ] as BaseTool[];
}

/** The tools that a run has besides when it may write to the workspace. */
export function writeTools(): BaseTool[] {
  return [new WriteFileTool(), new EditFileTool(), new ApplyPatchTool()] as BaseTool[];
}

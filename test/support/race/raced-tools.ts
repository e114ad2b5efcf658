import { ApplyPatchTool } from "../../../src/tools/apply-patch/spec.ts";
import type { BaseTool } from "../../../src/tools/base-tool.ts";
import { EditFileTool } from "../../../src/tools/edit-file/spec.ts";
import { GitTool } from "../../../src/tools/git/spec.ts";
import { GlobTool } from "../../../src/tools/glob/spec.ts";
import { GrepTool } from "../../../src/tools/grep/spec.ts";
import { ListDirTool } from "../../../src/tools/list-dir/spec.ts";
import { ReadFileTool } from "../../../src/tools/read-file/spec.ts";
import { WriteFileTool } from "../../../src/tools/write-file/spec.ts";
import { ModuleTool } from "../module-tool.ts";

/** A tool in a race for a path: `path` is the file that is attacked, `folder` the folder that it lies in. */
export interface RacedTool {
  readonly tool: BaseTool;
  readonly input: (path: string, folder: string) => unknown;
  /** What its result says when it met the honest file. */
  readonly honest: string;
  /** `warm`: served by a thread that is there; `fresh`: each call has a thread of its own. */
  readonly worker: "warm" | "fresh";
  /** It opens what it is shown without the guard, and waits for a writer when that is a FIFO. */
  readonly waits?: true;
}

const tool = (given: unknown): BaseTool => given as BaseTool;
const OPEN_END = "\\ No newline at end of file\n";
const change = (path: string): string =>
  `--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-public\n${OPEN_END}+changed\n${OPEN_END}`;

/** All that take a path and go through the guard: their bodies, and a tool module in its host. */
export const GUARDED_TOOLS: readonly RacedTool[] = [
  {
    tool: tool(new ReadFileTool()),
    input: (path) => ({ path }),
    honest: "public",
    worker: "warm",
  },
  {
    tool: tool(new GrepTool()),
    input: (_path, folder) => ({ pattern: ".", path: folder, hidden: true }),
    honest: "public",
    worker: "warm",
  },
  {
    tool: tool(new ListDirTool()),
    input: (_path, folder) => ({ path: folder }),
    honest: "f",
    worker: "warm",
  },
  {
    tool: tool(new GlobTool()),
    input: (_path, folder) => ({ pattern: "**", path: folder }),
    honest: "f",
    worker: "warm",
  },
  {
    tool: tool(new WriteFileTool()),
    input: (path) => ({ path, content: "changed", overwrite: true }),
    honest: "",
    worker: "fresh",
  },
  {
    tool: tool(new EditFileTool()),
    input: (path) => ({ path, edits: [{ old_string: "public", new_string: "changed" }] }),
    honest: "changed",
    worker: "fresh",
  },
  {
    tool: tool(new ApplyPatchTool()),
    input: (path) => ({ patch: change(path) }),
    honest: "M ",
    worker: "fresh",
  },
  {
    tool: new ModuleTool("own_tool", {
      module: new URL("../../fixtures/modules/read-text.js", import.meta.url).href,
    }),
    input: (path) => ({ path }),
    honest: "public",
    worker: "fresh",
  },
];

/** Git opens files itself: the seal holds it, not the guard. */
export const SEALED_TOOLS: readonly RacedTool[] = [
  {
    tool: tool(new GitTool()),
    input: (path) => ({ command: "diff", path }),
    honest: "+public",
    worker: "fresh",
    waits: true,
  },
];

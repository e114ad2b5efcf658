import { globBody } from "../src/tools/glob/body.ts";
import { listDirBody } from "../src/tools/list-dir/body.ts";
import { readFileBody } from "../src/tools/read-file/body.ts";
import type { ToolBody } from "../src/tools/tool-body.ts";

/**
 * The built-in bodies, by the name that a tool's `body` gives. All are part of the one worker file: an `import()` here
 * reads no file, it only puts off the first run of code that most workers never need.
 */
export const BODIES: ReadonlyMap<string, ToolBody> = new Map<string, ToolBody>([
  ["read_file", readFileBody],
  ["list_dir", listDirBody],
  ["glob", globBody],
  ["grep", async (input, context) => (await import("../src/tools/grep/body.ts")).grepBody(input, context)],
]);

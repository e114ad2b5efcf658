import { gitBody } from "../src/tools/git/body.ts";
import { globBody } from "../src/tools/glob/body.ts";
import { listDirBody } from "../src/tools/list-dir/body.ts";
import { readFileBody } from "../src/tools/read-file/body.ts";
import { todoBody } from "../src/tools/todo/body.ts";
import type { ToolBody } from "../src/tools/tool-body.ts";
import { writeFileBody } from "../src/tools/write-file/body.ts";

/**
 * The built-in bodies, by the name that a tool's `body` gives. All are part of the one worker file: an `import()` here
 * reads no file, it only puts off the first run of code that most workers never need.
 */
export const BODIES: ReadonlyMap<string, ToolBody> = new Map<string, ToolBody>([
  ["read_file", readFileBody],
  ["list_dir", listDirBody],
  ["glob", globBody],
  ["grep", async (input, context) => (await import("../src/tools/grep/body.ts")).grepBody(input, context)],
  ["git", gitBody],
  [
    "git_changes",
    async (input, context) =>
      (await import("../src/tools/git-changes/body.ts")).gitChangesBody(input, context),
  ],
  ["report_finding", () => ({ content: [{ type: "text", text: "The finding is recorded." }] })],
  ["todo", todoBody],
  ["write_file", writeFileBody],
  [
    "edit_file",
    async (input, context) => (await import("../src/tools/edit-file/body.ts")).editFileBody(input, context),
  ],
  [
    "apply_patch",
    async (input, context) =>
      (await import("../src/tools/apply-patch/body.ts")).applyPatchBody(input, context),
  ],
]);

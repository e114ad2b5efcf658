import { realpathSync, statSync } from "node:fs";
import { RuiZNError } from "../errors.ts";

/**
 * The workspace's canonical path.
 * @throws RuiZNError workspace_invalid
 */
export function workspaceRoot(path: string): string {
  const refuse = (why: string, cause?: unknown): never => {
    throw new RuiZNError("workspace_invalid", `workspace ${JSON.stringify(path)} ${why}`, {
      hint: "name an existing directory with -C",
      cause,
    });
  };
  let root: string;
  try {
    root = realpathSync.native(path);
  } catch (error) {
    return refuse("can't be opened", error);
  }
  if (!statSync(root).isDirectory()) refuse("is not a directory");
  if (root === "/") refuse("is the root of the file system");
  return root;
}

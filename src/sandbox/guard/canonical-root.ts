import { realpathSync, statSync } from "node:fs";
import { RuiZNError } from "../../errors.ts";
import { shown, splitPath } from "./path-text.ts";

/**
 * The workspace's one spelling: absolute, without symlinks. Taken once, when a run begins; a link that is pointed
 * elsewhere later changes nothing.
 * @throws RuiZNError workspace_invalid
 */
export function canonicalRoot(path: string): string {
  const refuse = (why: string, cause?: unknown): never => {
    throw new RuiZNError("workspace_invalid", `workspace ${shown(path)} ${why}`, {
      hint: "name an existing directory that holds the work and nothing else (-C DIR)",
      ...(cause === undefined ? {} : { cause }),
    });
  };
  const root = resolved(path, refuse);
  const [first, second] = splitPath(root);
  if (first === undefined) refuse("is the root of the file system, which leaves nothing outside to protect");
  if (root.includes("\ufffd")) refuse("has a name that is not UTF-8");
  const kernel = first === "proc" || first === "sys" || (first === "dev" && second !== "shm");
  if (process.platform !== "win32" && kernel) refuse("is in /proc, /sys or /dev");
  return root;
}

function resolved(path: string, refuse: (why: string, cause?: unknown) => never): string {
  if (path === "" || path.includes("\0")) return refuse("is not a path");
  try {
    const root = realpathSync.native(path);
    return statSync(root).isDirectory() ? root : refuse("is not a directory");
  } catch (error) {
    if (error instanceof RuiZNError) throw error;
    return refuse("does not exist or can't be opened", error);
  }
}

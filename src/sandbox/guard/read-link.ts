import { closeSync, readlinkSync } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { LeavesWorkspace } from "./link-trail.ts";
import type { DirectoryPlace, Opener } from "./opener.ts";
import type { LinkText } from "./workspace.ts";

/**
 * What the symlink at the end of `segments`, an entry of `directory`, says, and whether its way leaves the workspace;
 * undefined when it is no symlink (any more). The way is walked as for any open, so that it tells nothing of outside.
 */
export function readLink(
  opener: Opener,
  directory: DirectoryPlace,
  segments: readonly string[],
): LinkText | undefined {
  const target = textOf(opener, directory, segments.at(-1) ?? "");
  return target === undefined ? undefined : { target, leaves: leaves(opener, segments) };
}

function textOf(opener: Opener, directory: DirectoryPlace, name: string): string | undefined {
  try {
    const text = readlinkSync(opener.at(directory, name), { encoding: "buffer" }).toString("utf8");
    opener.confirm(directory);
    return text;
  } catch {
    return undefined;
  }
}

function leaves(opener: Opener, segments: readonly string[]): boolean {
  try {
    closeSync(opener.open(segments).fd);
    return false;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    // Any other failure (a loop, nothing there, no permission) is one inside.
    return error instanceof LeavesWorkspace;
  }
}

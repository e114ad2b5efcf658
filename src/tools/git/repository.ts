import type { OpenedDirectory, Workspace } from "../../sandbox/guard/workspace.ts";
import { showPath } from "../text/show.ts";
import { ToolFailure } from "../tool-body.ts";

/** Directories of a repository in which a symbolic link could make git read something that lies elsewhere. */
const LINK_FREE = [
  ".git",
  ".git/info",
  ".git/objects",
  ".git/objects/info",
  ".git/objects/pack",
  ".git/refs",
];

/** Files that make git take objects or settings from another place. */
const LEADS_AWAY = [".git/commondir", ".git/objects/info/alternates", ".git/objects/info/http-alternates"];

/**
 * Makes sure that the repository lies in the workspace as a whole: git itself follows links, alternates and the like
 * wherever they lead.
 * @throws ToolFailure not_found when there is none, permission_error when parts of it lie elsewhere
 */
export function checkRepository(workspace: Workspace): void {
  if (!isThere(workspace, ".git")) {
    throw new ToolFailure(
      "not_found",
      "the workspace's root has no .git directory, so there is no repository to look at",
    );
  }
  const git = workspace.open(".git");
  git.close();
  if (git.kind === "file") {
    throw new ToolFailure(
      "permission_error",
      ".git is a file that leads to a repository elsewhere (a linked worktree or a submodule), which is not in the workspace",
    );
  }
  for (const path of LINK_FREE) if (isThere(workspace, path)) refuseLinks(workspace.openDirectory(path));
  for (const path of LEADS_AWAY) {
    if (isThere(workspace, path)) {
      throw new ToolFailure(
        "permission_error",
        `${path} makes git read outside of the workspace's own repository`,
      );
    }
  }
}

function isThere(workspace: Workspace, path: string): boolean {
  try {
    workspace.open(path).discard();
    return true;
  } catch (error) {
    if (error instanceof ToolFailure && error.errorType === "not_found") return false;
    throw error;
  }
}

function refuseLinks(directory: OpenedDirectory): void {
  try {
    const link = directory.entries().entries.find(({ kind }) => kind === "symlink");
    if (!link) return;
    throw new ToolFailure(
      "permission_error",
      `${showPath(`${directory.path}/${link.name}`)} is a symbolic link`,
    );
  } finally {
    directory.discard();
  }
}

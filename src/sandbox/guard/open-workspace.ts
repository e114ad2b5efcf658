import { closeSync, existsSync, fstatSync } from "node:fs";
import type { LayerSwitches } from "../protocol.ts";
import { DescriptorOpener } from "./descriptor-opener.ts";
import { type GuardedRoot, GuardedWorkspace } from "./guarded-workspace.ts";
import { NameOpener } from "./name-opener.ts";
import type { Opener } from "./opener.ts";
import type { GuardSyscalls } from "./syscalls.ts";
import { UnguardedWorkspace } from "./unguarded-workspace.ts";
import type { Workspace } from "./workspace.ts";

export interface WorkspaceOptions {
  /** The canonical path of the workspace. */
  root: string;
  switches?: LayerSwitches;
  /** Passed in by the worker's entry; without them the descriptor walk does the work of openat2. */
  syscalls?: GuardSyscalls;
}

/** Opens the root once and holds it; all access of one call goes through the workspace that comes back. */
export function openWorkspace(options: WorkspaceOptions): Workspace {
  if (options.switches?.workerGuard === "off") return new UnguardedWorkspace(options.root);
  const root = guardedRoot(options);
  return new GuardedWorkspace(root, () => root.opener.close());
}

/**
 * The same for a thread that serves one call after the other: every call gets a workspace of its own, and all share
 * the root, which is opened for the first call and held until the thread ends.
 */
export function workspacesOf(options: WorkspaceOptions): () => Workspace {
  if (options.switches?.workerGuard === "off") return () => new UnguardedWorkspace(options.root);
  let root: GuardedRoot | undefined;
  return () => new GuardedWorkspace((root ??= guardedRoot(options)));
}

function guardedRoot(options: WorkspaceOptions): GuardedRoot {
  const opener = openerOf(options);
  try {
    const { fd } = opener.open([]);
    const { dev } = fstatSync(fd);
    closeSync(fd);
    return { path: options.root, dev, opener };
  } catch (error) {
    opener.close();
    throw error;
  }
}

function openerOf({ root, switches = {}, syscalls }: WorkspaceOptions): Opener {
  const byDescriptor = process.platform === "linux" && existsSync("/proc/self/fd");
  if (!byDescriptor || switches.openBeneath === "portable") return new NameOpener(root);
  return new DescriptorOpener(root, switches.openBeneath === "walk" ? undefined : syscalls);
}

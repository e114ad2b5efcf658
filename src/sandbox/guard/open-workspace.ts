import { existsSync } from "node:fs";
import type { LayerSwitches } from "../protocol.ts";
import { DescriptorOpener } from "./descriptor-opener.ts";
import { GuardedWorkspace } from "./guarded-workspace.ts";
import { NameOpener } from "./name-opener.ts";
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
export function openWorkspace({ root, switches = {}, syscalls }: WorkspaceOptions): Workspace {
  if (switches.workerGuard === "off") return new UnguardedWorkspace(root);
  const byDescriptor = process.platform === "linux" && existsSync("/proc/self/fd");
  if (!byDescriptor || switches.openBeneath === "portable")
    return new GuardedWorkspace(root, new NameOpener(root));
  return new GuardedWorkspace(
    root,
    new DescriptorOpener(root, switches.openBeneath === "walk" ? undefined : syscalls),
  );
}

import type { BaseTool, ToolProfile } from "../tools/base-tool.ts";
import { modulePackageFolder } from "./module-package-folder.ts";

/** `thread`: a worker thread of this process. `process`: a thread of a tool host, a process of its own. */
export type Tier = "thread" | "process";

/** Tools of one kind can have the same worker or host, one after the other. */
export interface CellKind {
  readonly key: string;
  readonly tier: Tier;
  /** A cell serves one call after the other: a warm thread, or a host. Otherwise each call gets one of its own. */
  readonly reused: boolean;
  /** A warm thread serves one call after the other; otherwise each call gets one that no call has touched. */
  readonly sharedThread: boolean;
  readonly profile: ToolProfile;
  readonly readPaths: readonly string[];
  readonly sweep: boolean;
}

/**
 * Code that is not ours runs in a process of its own, unless the run says otherwise. The shell profile starts programs,
 * which are sealed processes already, and stays in threads.
 */
export function kindOf(tool: Pick<BaseTool, "profile" | "module">, isolation: Tier | undefined): CellKind {
  const { profile, module } = tool;
  const wanted = isolation ?? (module === undefined ? "thread" : "process");
  const tier = profile === "shell" ? "thread" : wanted;
  const sharedThread = module === undefined && profile === "read";
  const readPaths = module === undefined ? [] : [modulePackageFolder(module)];
  const key = [
    tier,
    sharedThread ? "shared" : "fresh",
    profile,
    module === undefined ? "built-in" : "module",
    ...readPaths,
  ].join("\0");
  const sweep = module !== undefined || profile === "shell";
  return { key, tier, reused: sharedThread || tier === "process", sharedThread, profile, readPaths, sweep };
}

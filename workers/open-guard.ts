import type { Workspace } from "../src/sandbox/guard/workspace.ts";
import type { WorkerSetup } from "../src/sandbox/protocol.ts";
import { ToolFailure } from "../src/tools/tool-body.ts";

/** The workspace for one call. Until the guard is here, a body gets none of its files. */
export function openGuard(setup: WorkerSetup): Workspace {
  const refuse = (): never => {
    throw new ToolFailure("runtime_error", "this build has no access to the workspace's files");
  };
  return {
    root: setup.root,
    openFile: refuse,
    openDirectory: refuse,
    openEntry: refuse,
    replaceFile: refuse,
    removeFile: refuse,
    evidence: () => [],
    close: () => {},
  };
}

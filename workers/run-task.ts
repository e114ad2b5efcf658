import type { Workspace } from "../src/sandbox/guard/workspace.ts";
import type { ToolReply, ToolTask, WorkerSetup } from "../src/sandbox/protocol.ts";
import { type BodyContext, type ToolBody, ToolFailure } from "../src/tools/tool-body.ts";
import { BODIES } from "./bodies.ts";
import { failureReply, successReply } from "./build-reply.ts";
import { closeStandardDescriptors } from "./close-standard-descriptors.ts";
import { describeModule, moduleBody } from "./module-body.ts";
import type { SealOutcome } from "./seal/seal.ts";
import { selfCheckBody } from "./self-check-body.ts";

/** How long before the deadline a body's signal aborts: time to end by itself before the thread is ended. */
const SIGNAL_LEAD_MS = 50;

/** What a worker is once it is sealed. */
export interface SealedWorker {
  setup: WorkerSetup;
  outcome: SealOutcome;
  /** The workspace for one call. Throws ToolFailure when the root cannot be opened. */
  openWorkspace(): Workspace;
}

/** Runs one call: guard, body, bounded reply. Never rejects: a failure is a reply too. */
export async function runTask(task: ToolTask, worker: SealedWorker): Promise<ToolReply> {
  const { nonce } = task;
  const { setup, outcome: seal } = worker;
  let workspace: Workspace | undefined;
  try {
    if (task.body !== "self-check") refuseUnsealed(setup, seal);
    workspace = worker.openWorkspace();
    const body = await findBody(task, setup, seal);
    const result: unknown = await body(task.input as never, contextOf(workspace, task.remainingMs));
    return successReply({ nonce, evidence: workspace.evidence() }, result);
  } catch (error) {
    return failureReply({ nonce, evidence: workspace?.evidence() ?? [] }, error);
  } finally {
    workspace?.close();
  }
}

function refuseUnsealed(setup: WorkerSetup, seal: SealOutcome): void {
  if (seal.state === "sealed" || (seal.usable && setup.seal !== "require")) return;
  throw new ToolFailure("seal_unavailable", `this worker could not seal itself: ${seal.reason}`);
}

async function findBody(task: ToolTask, setup: WorkerSetup, seal: SealOutcome): Promise<ToolBody> {
  if (task.module !== undefined) {
    closeStandardDescriptors(setup.lastOwnDescriptor);
    return task.body === "describe" ? describeModule(task.module) : moduleBody(task.module, task.nonce);
  }
  const body = task.body === "self-check" ? selfCheckBody(seal) : BODIES.get(task.body ?? "");
  if (!body) throw new ToolFailure("runtime_error", `there is no built-in tool body named ${task.body}`);
  return body;
}

/** All that a body gets besides its input. The signal is made when a body asks for it: most never do. */
function contextOf(workspace: Workspace, remainingMs: number): BodyContext {
  let signal: AbortSignal | undefined;
  return {
    workspace,
    get signal() {
      signal ??= AbortSignal.timeout(Math.max(0, Math.floor(remainingMs - SIGNAL_LEAD_MS)));
      return signal;
    },
  };
}

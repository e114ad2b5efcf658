import { readlinkSync } from "node:fs";
import { workspacesOf } from "../src/sandbox/guard/open-workspace.ts";
import { sealProfile } from "../src/sandbox/profile.ts";
import type { LoadTask, ReadyReply, ReadyTask, ToolTask, WorkerSetup } from "../src/sandbox/protocol.ts";
import { moveBytes } from "./move-bytes.ts";
import { runTask, type SealedWorker } from "./run-task.ts";
import { libc } from "./seal/libc.ts";
import { changeMode, closeDescriptor, openat2Beneath } from "./seal/openat2.ts";
import { type SealOutcome, sealThread } from "./seal/seal.ts";

/**
 * The entry of every worker thread: piscina calls the default export once per task. The thread is started before it is
 * known for which workspace, loads all of its code, and then seals itself in the ready task. Whatever the worker needs
 * of its own code is in this one file: after the seal nothing of ours can be loaded.
 */
const tid = threadId();
libc();
const sealed: { worker?: SealedWorker } = {};

export default async function handle(task: LoadTask | ReadyTask | ToolTask): Promise<unknown> {
  if ("load" in task) return true;
  if ("ready" in task) return readyReply(seal(task.ready));
  if (!sealed.worker) throw new Error("a call came before the worker was sealed");
  return moveBytes(await runTask(task, sealed.worker));
}

/** Once, for good. */
function seal(setup: WorkerSetup): SealedWorker {
  sealed.worker ??= {
    setup,
    outcome: outcomeOf(setup),
    openWorkspace: workspacesOf({
      root: setup.root,
      switches: setup.switches ?? {},
      syscalls: { openat2: openat2Beneath, close: closeDescriptor, fchmod: changeMode },
    }),
  };
  return sealed.worker;
}

function outcomeOf(setup: WorkerSetup): SealOutcome {
  if (setup.seal !== "off") return sealThread(sealProfile(setup));
  return { state: "unavailable", landlockAbi: 0, seccomp: false, reason: "switched off", usable: true };
}

function readyReply({ setup, outcome }: SealedWorker): ReadyReply {
  const thread = tid === undefined ? {} : { tid };
  if (outcome.state === "sealed") return { seal: "held", usable: true, ...thread };
  const usable = outcome.usable && setup.seal !== "require";
  return { seal: setup.seal === "off" ? "off" : "unavailable", usable, reason: outcome.reason, ...thread };
}

/** Linux names the calling thread by a link; asked before the seal, which takes /proc away. */
function threadId(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return undefined;
  }
}

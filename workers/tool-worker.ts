import { readlinkSync } from "node:fs";
import { workerData } from "node:worker_threads";
import { sealProfile } from "../src/sandbox/profile.ts";
import type { ReadyReply, ReadyTask, ToolTask, WorkerSetup } from "../src/sandbox/protocol.ts";
import { moveBytes } from "./move-bytes.ts";
import { runTask } from "./run-task.ts";
import { type SealOutcome, sealThread } from "./seal/seal.ts";

/**
 * The entry of every worker thread. Loading it seals the thread; piscina then calls the default export once per task.
 * Whatever the worker needs of its own code is in this one file: after the seal nothing of ours can be loaded.
 */
const setup = workerData as WorkerSetup;
const tid = threadId();
const outcome: SealOutcome =
  setup.seal === "off"
    ? { state: "unavailable", landlockAbi: 0, seccomp: false, reason: "switched off", usable: true }
    : sealThread(sealProfile(setup));

export default async function handle(task: ReadyTask | ToolTask): Promise<unknown> {
  if ("ready" in task) return readyReply();
  return moveBytes(await runTask(task, setup, outcome));
}

function readyReply(): ReadyReply {
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

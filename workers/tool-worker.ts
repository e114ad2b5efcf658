import { readlinkSync } from "node:fs";
import { workerData } from "node:worker_threads";
import type { ReadyReply, ReadyTask, ToolTask, WorkerSetup } from "../src/sandbox/protocol.ts";
import { moveBytes } from "./move-bytes.ts";
import { runTask } from "./run-task.ts";

/**
 * The entry of every worker thread. Loading it seals the thread; piscina then calls the default export once per task.
 * Whatever the worker needs of its own code is in this one file: after the seal nothing of ours can be loaded.
 */
const setup = workerData as WorkerSetup;
const tid = threadId();
const ready: ReadyReply = { seal: "off", ...(tid !== undefined && { tid }) };

export default async function handle(task: ReadyTask | ToolTask): Promise<unknown> {
  if ("ready" in task) return ready;
  return moveBytes(await runTask(task, setup, ready));
}

/** Linux names the calling thread by a link; asked before the seal, which takes /proc away. */
function threadId(): number | undefined {
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    return undefined;
  }
}

import { dirname } from "node:path";
import type { SealReport } from "../events/run-event.ts";
import type { CellKind } from "./cell-kind.ts";
import type { CellStore } from "./cell-store.ts";
import type { ReplyOk, ToolReply, WorkerSetup } from "./protocol.ts";
import { runSelfCheck, startLibuvPool } from "./self-check.ts";
import type { SelfCheckInput } from "./self-check-input.ts";
import type { ToolCell } from "./tool-cell.ts";

/** Milliseconds the self-check may take. */
const SELF_CHECK_MS = 10_000;
const HOST_TRIES = 3;

const SEAL_OFF: SealReport = {
  state: "off",
  landlock_abi: 0,
  seccomp: false,
  escaped: [],
  reason: "switched off",
};

/**
 * Starts the first worker or host of a tier and lets it attack its own seal; the store keeps it. Rejects when no
 * thread can be started.
 */
export async function checkTier(options: {
  kind: CellKind;
  store: CellStore;
  root: string;
  seal: WorkerSetup["seal"];
}): Promise<SealReport> {
  const { kind, store, root, seal } = options;
  if (kind.tier === "thread") await startLibuvPool();
  if (seal === "off") {
    store.keepUntouched(kind, await store.start(kind));
    return SEAL_OFF;
  }
  // A thread starts while the canary is planted. A host has to be told of the canary when it starts.
  const thread = kind.tier === "thread" ? store.start(kind) : undefined;
  thread?.catch(() => {});
  const tryOnce = async (input: SelfCheckInput): Promise<unknown> => {
    const cell = await (thread ?? store.start(kind, [dirname(input.canary)]));
    const data = await selfCheckIn(cell, input);
    store.keepUntouched(kind, cell);
    return data;
  };
  const report = await runSelfCheck({
    root,
    readPaths: kind.readPaths,
    tier: kind.tier,
    canaryFolder: kind.tier === "process" ? store.takeCanaryFolder() : undefined,
    run: thread ? tryOnce : (input) => firstThatWorks(() => tryOnce(input)),
  });
  await thread;
  return report;
}

/** A host can be killed from outside at any time, and that says nothing about the next one. */
async function firstThatWorks<T>(act: () => Promise<T>): Promise<T> {
  for (let left = HOST_TRIES - 1; left > 0; left--) {
    try {
      return await act();
    } catch {
      // The last try tells.
    }
  }
  return act();
}

async function selfCheckIn(cell: ToolCell, input: SelfCheckInput): Promise<unknown> {
  const task = { nonce: "", body: "self-check", input, remainingMs: SELF_CHECK_MS };
  const reply = (await cell.run(task, AbortSignal.timeout(SELF_CHECK_MS), { onFlood() {} })) as ToolReply;
  return (JSON.parse(reply.head) as ReplyOk).data;
}

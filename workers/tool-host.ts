import { access, readSync } from "node:fs";
import { Socket } from "node:net";
import { FrameReader } from "../src/sandbox/host/frames.ts";
import type { HostSetup } from "../src/sandbox/host/messages.ts";
import { hostProfile } from "../src/sandbox/profile.ts";
import { DataLimit, PIPE, settleOwnProcess } from "./host/own-process.ts";
import { HostServer } from "./host/host-server.ts";
import { type SealOutcome, sealThread } from "./seal/seal.ts";

/**
 * The entry of a tool host. CommonJS, and nothing asynchronous before the seal: libuv's threads start after it and
 * inherit it, so that asynchronous access to files is held like any other.
 */
const setup = readSetup();
settleOwnProcess(setup);
const dataLimit = new DataLimit();
const pipe = new Socket({ fd: PIPE, readable: true, writable: true });
const outcome = seal(setup);
// From the main thread, and now: a thread of a tool may start none.
access(setup.worker.root, () => {
  void new HostServer(pipe, setup, outcome).start(() => dataLimit.set(setup.limits.growthBytes));
});

function seal({ worker, codePaths }: HostSetup): SealOutcome {
  if (worker.seal !== "off") return sealThread(hostProfile({ ...worker, codePaths }));
  return { state: "unavailable", landlockAbi: 0, seccomp: false, reason: "switched off", usable: true };
}

/** Waits for the first frame, and takes no byte more than it has. */
function readSetup(): HostSetup {
  const reader = new FrameReader(["setup"]);
  for (;;) {
    const chunk = Buffer.alloc(1);
    if (readSync(PIPE, chunk, 0, 1, null) === 0) process.exit(0);
    const [frame] = reader.push(chunk);
    if (frame) return JSON.parse(frame.text) as HostSetup;
    if (reader.problem !== undefined) throw new Error(reader.problem);
  }
}

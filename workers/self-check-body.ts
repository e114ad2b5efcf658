import { spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { Worker } from "node:worker_threads";
import {
  ASYNC_SUFFIX,
  type AttemptResult,
  type SealAttempt,
  type SelfCheckData,
  type SelfCheckInput,
} from "../src/sandbox/self-check-input.ts";
import type { ToolBody } from "../src/tools/tool-body.ts";
import type { SealOutcome } from "./seal/seal.ts";

/** The body `self-check` of a thread that was sealed with this outcome: attacks the seal from where a tool stands. */
export function selfCheckBody(outcome: SealOutcome): ToolBody<SelfCheckInput> {
  return async (input) => {
    const data: SelfCheckData = {
      seal: {
        state: outcome.state,
        landlock_abi: outcome.landlockAbi,
        seccomp: outcome.seccomp,
        ...(outcome.state === "unavailable" ? { reason: outcome.reason } : {}),
      },
    };
    if (outcome.state === "sealed") data.attempts = await attack(input);
    return { content: [{ type: "text", text: "self-check" }], data: { ...data } };
  };
}

async function attack(input: SelfCheckInput): Promise<Partial<Record<SealAttempt, AttemptResult>>> {
  return {
    ...(input.tier === "process" && (await attackThroughLibuv(input))),
    read_absolute: await attempt(() => readFileSync(input.canary)),
    read_symlink: await attempt(() => readFileSync(input.link)),
    read_proc_root: await attempt(() => readFileSync(`/proc/self/root${input.canary}`), REFUSED_BY_NODE),
    reopen_descriptor: await attempt(() => closeSync(openSync(`/proc/self/fd/${input.descriptor}`, "r"))),
    write_beside: await attempt(() => writeFileSync(input.beside, "")),
    connect: await attempt(() => connectTo(input.port)),
    exec: await attempt(runProgram, REFUSED_BY_NODE),
    load_addon: await attempt(() => loadAny(input.addons)),
    start_thread: await attempt(() => new Worker("", { eval: true }).terminate()),
    signal: await attempt(() => process.kill(process.pid, 0)),
  };
}

/** In a thread of the main process these would get through: its libuv threads serve the run as well. */
async function attackThroughLibuv(
  input: SelfCheckInput,
): Promise<Partial<Record<SealAttempt, AttemptResult>>> {
  return {
    read_async: await attempt(() => readFile(input.canary)),
    write_async: await attempt(() => writeFile(`${input.beside}${ASYNC_SUFFIX}`, "")),
  };
}

/** The codes of a refusal. Anything else went wrong before the seal was asked, and says nothing about it. */
const REFUSALS = new Set(["EACCES", "EPERM", "ERR_DLOPEN_FAILED", "ERR_WORKER_INIT_FAILED"]);
/** Node's permission model, in a tool host, answers these before the kernel is asked. */
const REFUSED_BY_NODE = "ERR_ACCESS_DENIED";

async function attempt(act: () => unknown, alsoRefused?: string): Promise<AttemptResult> {
  try {
    await act();
    return "escaped";
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return REFUSALS.has(code) || code === alsoRefused ? "refused" : code;
  }
}

/** The connection is made by this thread: the address needs no look-up, which libuv's threads would do. */
function connectTo(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => {
      socket.destroy();
      resolve();
    });
    socket.on("error", reject);
  });
}

function runProgram(): void {
  const { error } = spawnSync(process.execPath, ["--version"], { stdio: "ignore" });
  if (error) throw error;
}

function loadAny(names: readonly string[]): void {
  let refusal: unknown = new Error("no addon to load");
  for (const name of names) {
    try {
      process.dlopen({ exports: {} }, name);
      return;
    } catch (error) {
      refusal = error;
    }
  }
  throw refusal;
}

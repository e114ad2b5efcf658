import type { ToolErrorType } from "../errors.ts";
import type { ImageBlock } from "../messages.ts";
import type { ToolProfile } from "../tools/base-tool.ts";
import type { ToolData } from "../tools/tool-result.ts";

/** What a worker is told once. It seals itself with this before it takes its first call. */
export interface WorkerSetup {
  /** Canonical path of the workspace. */
  root: string;
  profile: ToolProfile;
  /** `require`: a worker that cannot seal itself answers every task with `seal_unavailable`. */
  seal: "require" | "try" | "off";
  /** Folders besides the workspace that the worker may read: where a tool module lies. */
  readPaths: readonly string[];
  /** The process's descriptors up to this one are not for tools: 2, and in a tool host its pipe too. */
  lastOwnDescriptor?: number;
  /** Layers switched off by the attack harness. Nothing outside tests and the probe sets it. */
  switches?: LayerSwitches;
}

/** Which layers are off. Reachable from tests and the probe only: no flag, setting, variable or library option. */
export interface LayerSwitches {
  mainGuard?: "off";
  workerGuard?: "off";
  recheck?: "off";
  /** Node's permission model in a tool host; `on`: also when the seal is off, which else takes it along. */
  hostPermission?: "off" | "on";
  /** `portable`: behave as on a system without /proc/self/fd and openat2; `walk`: without openat2. */
  openBeneath?: "portable" | "walk";
}

/** The first task of every worker: it is answered once the worker has loaded its code. */
export interface LoadTask {
  load: true;
}

/** The second: the worker seals itself with this setup, before it has loaded code that is not ours. Given once. */
export interface ReadyTask {
  ready: WorkerSetup;
}

export interface ReadyReply {
  seal: "held" | "unavailable" | "off";
  /** False: it is half sealed, or not sealed where the run requires it, and takes no task. */
  usable: boolean;
  /** Why there is no seal; one line. */
  reason?: string;
  /** The kernel's id of the thread: the sweep finds by it what the thread started. Linux only. */
  tid?: number;
}

/** One call, as it goes to the worker. Plain JSON throughout. */
export interface ToolTask {
  /** 128 random bits; the reply must carry them. */
  nonce: string;
  /** Name of a built-in body; with `module`, `describe` asks what the module says of its tool. */
  body?: string;
  /** file: URL of a tool module. */
  module?: string;
  input: unknown;
  /** Milliseconds left of the call's deadline when the task was sent. */
  remainingMs: number;
}

/**
 * What comes back: JSON text, and beside it the bytes of large texts, moved and not copied. Never live objects: a
 * deep object never settles, and a shared one changes after it was checked. Untrusted until src/sandbox/recheck.ts
 * has passed it.
 */
export interface ToolReply {
  head: string;
  bytes?: Uint8Array;
}

/** What a tool says while its call runs: a message of its thread. Untrusted, bounded, and counted against a flood. */
export interface CallNote {
  /** The call's: what carries another is not of the call that runs. */
  nonce: string;
  level: "progress" | "info" | "warn" | "error";
  text: string;
  /** How much is done, from 0 to 1. */
  share?: number;
}

/** A descriptor that the call read, listed or wrote, as the kernel describes the open descriptor, not the name. */
export interface Evidence {
  access: "read" | "list" | "write";
  /** readlink of /proc/self/fd/N (Linux); elsewhere realpath, and `by_name` is true. */
  real_path: string;
  dev: number;
  ino: number;
  nlink: number;
  /** Bytes read from or written to it. */
  bytes: number;
  by_name?: true;
}

/** `head` parsed. Text content is either inline or a range [start, end) of `bytes`. */
export type ReplyHead = ReplyOk | ReplyFailed;

export interface ReplyOk {
  nonce: string;
  ok: true;
  content: ({ type: "text"; text: string } | { type: "text"; bytes: [number, number] } | ImageBlock)[];
  data: ToolData;
  evidence: Evidence[];
}

export interface ReplyFailed {
  nonce: string;
  ok: false;
  error_type: ToolErrorType;
  message: string;
  data: ToolData;
  evidence: Evidence[];
}

import type { Tier } from "./cell-kind.ts";

/** What a sealed thread tries in the self-check. Each must be refused. */
export const SEAL_ATTEMPTS = [
  "read_absolute",
  "read_symlink",
  "read_proc_root",
  "reopen_descriptor",
  "write_beside",
  "connect",
  "exec",
  "load_addon",
  "start_thread",
  "signal",
] as const;

/** What is tried in a tool host besides: there libuv's threads are sealed too. */
const ASYNC_ATTEMPTS = ["read_async", "write_async"] as const;

export type SealAttempt = (typeof SEAL_ATTEMPTS)[number] | (typeof ASYNC_ATTEMPTS)[number];

export const ATTEMPTS: Readonly<Record<Tier, readonly SealAttempt[]>> = {
  thread: SEAL_ATTEMPTS,
  process: [...SEAL_ATTEMPTS, ...ASYNC_ATTEMPTS],
};

/** What the asynchronous attempt to write adds to the name. */
export const ASYNC_SUFFIX = "-async";

/** What the main thread planted for the attempts. */
export interface SelfCheckInput {
  /** A file outside everything that the worker may read. */
  canary: string;
  /** A symlink to it. */
  link: string;
  /** A descriptor that the process holds: of the canary; in a tool host, which holds none of ours, its stdin. */
  descriptor: number;
  /** A name in the canary's folder where nothing is. */
  beside: string;
  /** Of a listener on 127.0.0.1. */
  port: number;
  /** Names by which koffi's addon might be loaded a second time. */
  addons: string[];
  tier: Tier;
}

/** `refused`, `escaped`, or the error code of an attempt that failed for another reason and so shows nothing. */
export type AttemptResult = string;

/** What the body `self-check` answers with, as its data. */
export interface SelfCheckData {
  seal: { state: "sealed" | "unavailable"; landlock_abi: number; seccomp: boolean; reason?: string };
  /** Absent when there is no seal to attack. */
  attempts?: Partial<Record<SealAttempt, AttemptResult>>;
}

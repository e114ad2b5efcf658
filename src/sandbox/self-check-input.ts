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

export type SealAttempt = (typeof SEAL_ATTEMPTS)[number];

/** What the main thread planted for the attempts. */
export interface SelfCheckInput {
  /** A file outside everything that the worker may read. */
  canary: string;
  /** A symlink to it. */
  link: string;
  /** A descriptor of it that the process holds. */
  descriptor: number;
  /** A name in the canary's folder where nothing is. */
  beside: string;
  /** Of a listener on 127.0.0.1. */
  port: number;
  /** Names by which koffi's addon might be loaded a second time. */
  addons: string[];
}

/** `refused`, `escaped`, or the error code of an attempt that failed for another reason and so shows nothing. */
export type AttemptResult = string;

/** What the body `self-check` answers with, as its data. */
export interface SelfCheckData {
  seal: { state: "sealed" | "unavailable"; landlock_abi: number; seccomp: boolean; reason?: string };
  /** Absent when there is no seal to attack. */
  attempts?: Record<SealAttempt, AttemptResult>;
}

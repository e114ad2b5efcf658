import { callNote } from "../call-note.ts";
import type { CallNote, ReadyReply, ToolTask, WorkerSetup } from "../protocol.ts";

/** The first thing a tool host is told. It seals itself with this before it starts any thread. */
export interface HostSetup {
  worker: WorkerSetup;
  /** Whether one warm thread serves call after call, as for our own read tools; otherwise each call gets a fresh one. */
  sharedThread: boolean;
  /** Files and folders of the host's own code, and of the packages that it loads. */
  codePaths: readonly string[];
  /** Shows that a frame comes from the host's main thread: a tool's thread can write to the pipe, but never sees this. */
  secret: string;
  /** Id of the process that started it: without that one it ends. */
  parent: number;
  limits: { growthBytes: number; descriptors: number };
}

/** `run`: one call. */
export interface HostRun {
  task: ToolTask;
}

/** `ready`: the host is sealed, and so is the thread that waits for the first call. */
export interface HostReady extends Omit<ReadyReply, "tid"> {
  secret: string;
}

/** `failed`: the call's thread did not come back with a reply. */
export interface HostFailed {
  message: string;
  /** Code of the error, as Node gives it. */
  code?: string;
  /** Messages that the thread sent besides its result, when it was ended for that. */
  flood?: number;
  /** What the thread had written to its own stdout and stderr. */
  output?: string;
}

/** `idle`: nothing of the last call is left. */
export interface HostIdle {
  secret: string;
}

const STATES: readonly unknown[] = ["held", "unavailable", "off"] satisfies ReadyReply["seal"][];

/** Undefined when it is not what it should be; the same for the others. */
export function parseReady(text: string): HostReady | undefined {
  const fields = plainFields(text, ["secret", "seal", "usable", "reason"]);
  if (!fields) return undefined;
  const { secret, seal, usable, reason } = fields;
  if (typeof secret !== "string" || !STATES.includes(seal) || typeof usable !== "boolean") return undefined;
  if (reason !== undefined && typeof reason !== "string") return undefined;
  return {
    secret,
    seal: seal as ReadyReply["seal"],
    usable,
    ...(reason === undefined ? {} : { reason }),
  };
}

export function parseFailed(text: string): HostFailed | undefined {
  const fields = plainFields(text, ["message", "code", "flood", "output"]);
  if (!fields) return undefined;
  const { message, code, flood, output } = fields;
  if (typeof message !== "string") return undefined;
  if (code !== undefined && typeof code !== "string") return undefined;
  if (flood !== undefined && !(Number.isSafeInteger(flood) && Number(flood) > 0)) return undefined;
  if (output !== undefined && typeof output !== "string") return undefined;
  return {
    message,
    ...(code === undefined ? {} : { code }),
    ...(flood === undefined ? {} : { flood: Number(flood) }),
    ...(output === undefined ? {} : { output }),
  };
}

export function parseIdle(text: string): HostIdle | undefined {
  const secret = plainFields(text, ["secret"])?.["secret"];
  return typeof secret === "string" ? { secret } : undefined;
}

/** `note`: something that the tool says while its call runs. */
export function parseNote(text: string, nonce: string): CallNote | undefined {
  return callNote(plainFields(text, ["nonce", "level", "text", "share"]), nonce);
}

/** The fields of a JSON object that has no others than these. */
function plainFields(text: string, known: readonly string[]): Record<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.keys(value).every((key) => known.includes(key))
    ? (value as Record<string, unknown>)
    : undefined;
}

import { fstatSync } from "node:fs";
import type { Ahead } from "../sandbox/cell-store.ts";
import { Output } from "./output.ts";

/** What the command talks to, and what starts while its own code is loaded. */
export interface CliIo extends Ahead {
  /** Called only by who reads it: touching stdin opens it. */
  stdin(): NodeJS.ReadStream;
  stdout: Output;
  stderr: Output;
  /** Where everything but the answer goes: stderr; stdout itself when both end in the same place, to keep order. */
  notes: Output;
  /** Aborted with the signal's name when the process is asked to stop. From the first call on, signals are ours. */
  stopSignal(): AbortSignal;
  /** `CI` is set: what is printed ends in the log of a machine. */
  inCi: boolean;
  /** Settings that an administrator laid down; they only narrow. */
  managedSettings: string;
}

/** The streams of this process. */
export function processIo(stopSignal: () => AbortSignal): CliIo {
  const stdout = new Output(process.stdout);
  const stderr = new Output(process.stderr);
  return {
    stdin: () => process.stdin,
    stdout,
    stderr,
    notes: sameFile(1, 2) ? stdout : stderr,
    stopSignal,
    inCi: !["", "0", "false", "no"].includes((process.env["CI"] ?? "").toLowerCase()),
    managedSettings: "/etc/ruizn/settings.json",
  };
}

/** One terminal, or `2>&1`. */
function sameFile(a: number, b: number): boolean {
  try {
    const [one, other] = [fstatSync(a), fstatSync(b)];
    return one.dev === other.dev && one.ino === other.ino && one.rdev === other.rdev;
  } catch {
    return false;
  }
}

import { closeSync, openSync, readdirSync, readlinkSync, readSync } from "node:fs";
import type { HostSetup } from "../../src/sandbox/host/messages.ts";
import { type Libc, libc } from "../seal/libc.ts";
import { closeDescriptor } from "../seal/openat2.ts";

const PR_SET_PDEATHSIG = 1;
const SIGKILL = 9n;

/** Numbers of the resources, the same on x64 and arm64. */
const RLIMIT_DATA = 2n;
const RLIMIT_CORE = 4n;
const RLIMIT_NOFILE = 7n;

/** The pipe to the main process; 0 to 2 are below it. */
export const PIPE = 3;

/**
 * Ties this process to its parent, bounds what it may take of the machine and drops descriptors that were left open to
 * it. Where the C library cannot be had, the end of the pipe has to do.
 */
export function settleOwnProcess({ parent, limits }: HostSetup): void {
  const lib = libc();
  if ("reason" in lib) return;
  lib.prctl(PR_SET_PDEATHSIG, SIGKILL);
  // It may have ended before it was asked.
  if (process.ppid !== parent) process.exit(1);
  limit(lib, RLIMIT_NOFILE, limits.descriptors);
  // No picture of the memory of a host that dies is left on the disk.
  limit(lib, RLIMIT_CORE, 0);
  closeInherited();
}

/** Bounds the memory of this process from the inside; to be opened before the seal, which takes /proc away. */
export class DataLimit {
  readonly #status: number | undefined;
  readonly #before: number;

  constructor() {
    this.#status = "reason" in libc() ? undefined : openSync("/proc/self/status", "r");
    this.#before = this.#dataBytes();
  }

  /**
   * To be called when the first thread runs. V8 reserves memory for each thread (540 MB of it counted on Node 24, 14
   * on 20), so there is room for two more: the next one, and the last one on its way out.
   */
  set(growthBytes: number): void {
    const lib = libc();
    if (this.#status === undefined || "reason" in lib) return;
    const now = this.#dataBytes();
    limit(lib, RLIMIT_DATA, now + 2 * (now - this.#before) + growthBytes);
    closeSync(this.#status);
  }

  #dataBytes(): number {
    if (this.#status === undefined) return 0;
    const text = Buffer.alloc(4_096);
    const bytes = readSync(this.#status, text, 0, text.length, 0);
    const [, kb] = /^VmData:\s+(\d+) kB$/m.exec(text.toString("latin1", 0, bytes)) ?? [];
    return Number(kb ?? 0) * 1_024;
  }
}

/** Both the limit and the limit of the limit; a lower one that is there already stays. */
function limit(lib: Libc, resource: bigint, most: number): void {
  const current = Buffer.alloc(16);
  if (lib.call("prlimit64", 0n, resource, 0n, current) !== 0) return;
  const hard = current.readBigUInt64LE(8);
  const wanted = BigInt(most) < hard ? BigInt(most) : hard;
  const limits = Buffer.alloc(16);
  limits.writeBigUInt64LE(wanted, 0);
  limits.writeBigUInt64LE(wanted, 8);
  lib.call("prlimit64", 0n, resource, limits, 0n);
}

/**
 * Closes files, folders, devices and sockets that the program that started us had left open to its children. Node's
 * own descriptors are pipes and nameless things, and stay.
 */
function closeInherited(): void {
  for (const name of readdirSync("/proc/self/fd")) {
    const fd = Number(name);
    const target = fd > PIPE ? linkOf(fd) : undefined;
    if (target?.startsWith("/") || target?.startsWith("socket:")) closeDescriptor(fd);
  }
}

function linkOf(fd: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    // The one that the list was read from.
    return undefined;
  }
}

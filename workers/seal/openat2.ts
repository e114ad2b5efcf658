import { ENOSYS, libc } from "./libc.ts";

const O_CLOEXEC = 0o2000000;
const RESOLVE_NO_MAGICLINKS = 0x02n;
const RESOLVE_BENEATH = 0x08n;
const EPERM = 1;
const EAGAIN = 11;
/** A rename elsewhere while the kernel follows a `..` makes it give up once; many times in a row is somebody's doing. */
const TRIES = 8;
const OPEN_HOW_BYTES = 24;

/**
 * Opens a path beneath a folder; the kernel itself refuses every way out (EXDEV) and every magic link (ELOOP). A
 * descriptor that Node does not know, to be closed with `closeDescriptor`. A negated errno when the open failed;
 * undefined when the call is not to be had here (no koffi, an older kernel, a filter that hides it).
 */
export function openat2Beneath(dirfd: number, path: string, flags: number, mode: number): number | undefined {
  const lib = libc();
  if ("reason" in lib) return undefined;
  const how = Buffer.alloc(OPEN_HOW_BYTES);
  how.writeBigUInt64LE(BigInt(flags | O_CLOEXEC), 0);
  how.writeBigUInt64LE(BigInt(mode), 8);
  how.writeBigUInt64LE(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS, 16);
  const name = Buffer.from(`${path}\0`);
  let opened = -EAGAIN;
  for (let tries = 0; tries < TRIES && opened === -EAGAIN; tries++) {
    opened = lib.call("openat2", BigInt(dirfd), name, how, BigInt(OPEN_HOW_BYTES));
  }
  return opened === -ENOSYS || opened === -EPERM ? undefined : opened;
}

/** Node's own is switched off where its permission model is on. */
export function changeMode(fd: number, mode: number): boolean {
  const lib = libc();
  return !("reason" in lib) && lib.call("fchmod", BigInt(fd), BigInt(mode)) === 0;
}

/** Closes what openat2Beneath opened: Node warns when it closes a descriptor in a worker that it did not open. */
export function closeDescriptor(fd: number): void {
  const lib = libc();
  if (!("reason" in lib)) lib.call("close", BigInt(fd));
}

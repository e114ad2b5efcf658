import { createRequire } from "node:module";
import type * as Koffi from "koffi";
import type { GuardSyscalls } from "../../src/sandbox/guard/syscalls.ts";

const OPENAT2 = 437; // the same number on x86-64 and arm64
const BENEATH_AND_NO_MAGICLINKS = 0x08n | 0x02n;

/** openat2 by koffi, for tests of the guard alone; undefined where koffi or the kernel does not have it. */
export function testSyscalls(): GuardSyscalls | undefined {
  if (process.platform !== "linux") return undefined;
  const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi;
  const libc = koffi.load(null);
  const syscall = libc.func("long syscall(long number, int dirfd, const char *path, void *how, long size)");
  const close = libc.func("int close(int fd)");
  const how = Buffer.alloc(24);
  return {
    openat2(dirfd, path, flags, mode) {
      how.writeBigUInt64LE(BigInt(flags), 0);
      how.writeBigUInt64LE(BigInt(mode), 8);
      how.writeBigUInt64LE(BENEATH_AND_NO_MAGICLINKS, 16);
      const result = Number(syscall(OPENAT2, dirfd, path, how, how.length));
      return result < 0 ? -koffi.errno() : result;
    },
    close(fd) {
      close(fd);
    },
  };
}

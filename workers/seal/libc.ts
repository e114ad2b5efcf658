import type * as Koffi from "koffi";
import type { Architecture, SyscallName } from "./syscall-table.ts";
import { architectureOf, NONE } from "./syscall-table.ts";

/** An integer, or memory that the kernel reads or writes (it must stay referenced until the call returned). */
export type SyscallArgument = bigint | Uint8Array;

export interface Libc {
  readonly arch: Architecture;
  /** The call's result, or the negated errno. A call that the architecture lacks is -ENOSYS. */
  call(name: SyscallName, ...args: SyscallArgument[]): number;
  prctl(option: number, argument: bigint): number;
  addressOf(memory: Uint8Array): bigint;
}

export const ENOSYS = 38;

/** The C library of this process, through koffi; or why it cannot be had. Loaded once per thread, and never twice. */
export const libc = once(loadLibc);

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

function loadLibc(): Libc | { reason: string } {
  if (process.platform !== "linux") return { reason: `the seal needs Linux; this is ${process.platform}` };
  const arch = architectureOf(process.arch);
  if (!arch) return { reason: `the seal knows x64 and arm64; this is ${process.arch}` };
  try {
    return bind(arch);
  } catch (error) {
    const why = error instanceof Error ? (error.message.split("\n", 1)[0] ?? "") : String(error);
    return { reason: `koffi cannot be loaded: ${why}` };
  }
}

function bind(arch: Architecture): Libc {
  // The bundle is CommonJS and leaves koffi outside: it is optional, and has a native addon.
  const koffi = require("koffi") as typeof Koffi;
  const process_ = koffi.load(null);
  const syscall = process_.func(
    "long syscall(long number, void *a, void *b, void *c, void *d, void *e, void *f)",
  );
  const prctl = process_.func("int prctl(int option, void *a, void *b, void *c, void *d)");
  // errno is read before anything else runs in this thread.
  const outcome = (result: unknown): number => (Number(result) === -1 ? -koffi.errno() : Number(result));
  return {
    arch,
    call(name, a = 0n, b = 0n, c = 0n, d = 0n, e = 0n, f = 0n) {
      const number = arch.number(name);
      if (number === NONE) return -ENOSYS;
      return outcome(syscall(number, a, b, c, d, e, f));
    },
    prctl: (option, argument) => outcome(prctl(option, argument, 0n, 0n, 0n)),
    addressOf: (memory) => koffi.address(memory),
  };
}

import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import tty from "node:tty";

/** stdin, stdout, stderr. */
const LAST_STANDARD_DESCRIPTOR = 2;

/** Everything in node:fs that does something to a descriptor given by number. */
const BY_DESCRIPTOR = [
  "close",
  "closeSync",
  "fchmod",
  "fchmodSync",
  "fchown",
  "fchownSync",
  "fsync",
  "fsyncSync",
  "ftruncate",
  "ftruncateSync",
  "futimes",
  "futimesSync",
  "read",
  "readSync",
  "readv",
  "readvSync",
  "write",
  "writeSync",
  "writev",
  "writevSync",
  "writeFile",
  "writeFileSync",
  "appendFile",
  "appendFileSync",
] as const;

/**
 * Takes the process's stdin, stdout and stderr away from a module that is about to be loaded: they belong to the run,
 * and a thread's own console goes to the capture anyway. Covers Node's public ways to a descriptor.
 */
export function closeStandardDescriptors(last = LAST_STANDARD_DESCRIPTOR): void {
  const refuseStandard = (descriptor: unknown, operation: string): void => {
    if (typeof descriptor !== "number" || descriptor > last) return;
    const message = `EBADF: descriptor ${descriptor} belongs to the run, ${operation}`;
    throw Object.assign(new Error(message), { code: "EBADF", syscall: operation });
  };
  const functions = fs as unknown as Record<string, (...parameters: unknown[]) => unknown>;
  for (const name of BY_DESCRIPTOR) {
    const original = functions[name];
    if (!original) continue;
    functions[name] = (descriptor, ...rest) => {
      refuseStandard(descriptor, name);
      return original(descriptor, ...rest);
    };
  }
  net.Socket = refusing(net.Socket, (options) => refuseStandard(Object(options).fd, "Socket"));
  tty.WriteStream = refusing(tty.WriteStream, (fd) => refuseStandard(fd, "WriteStream"));
  tty.ReadStream = refusing(tty.ReadStream, (fd) => refuseStandard(fd, "ReadStream"));
  syncBuiltinESMExports();
}

/** The same class, but it cannot be made on a standard descriptor. */
function refusing<Class extends abstract new (...parameters: never[]) => object>(
  original: Class,
  judge: (first: unknown) => void,
): Class {
  return new Proxy(original, {
    construct(target, parameters: never[], newTarget) {
      judge(parameters[0]);
      return Reflect.construct(target, parameters, newTarget) as object;
    },
  });
}

import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { architectureOf, NONE, SYSCALLS, type SyscallName } from "../../workers/seal/syscall-table.ts";

/** The kernel's own headers, where they are installed. Newer calls are missing from older headers. */
const HEADERS = {
  x64: { file: "/usr/include/x86_64-linux-gnu/asm/unistd_64.h", define: /#define __NR_(\w+)\s+(\d+)/g },
  // arm64 takes the generic table as it is.
  arm64: { file: "/usr/include/asm-generic/unistd.h", define: /#define __NR(?:3264)?_(\w+)\s+(\d+)/g },
};

function numbersIn({ file, define }: { file: string; define: RegExp }): Map<string, number> {
  const text = readFileSync(file, "utf8");
  return new Map([...text.matchAll(define)].map(([, name = "", number]) => [name, Number(number)]));
}

describe.each(["x64", "arm64"] as const)("system calls of %s", (name) => {
  test.skipIf(!existsSync(HEADERS[name].file))("are those of the kernel's headers", () => {
    const header = numbersIn(HEADERS[name]);
    const last = Math.max(...[...header.values()].filter((number) => number < 1_000));
    const arch = architectureOf(name);
    const wrong = (Object.keys(SYSCALLS) as SyscallName[]).flatMap((call) => {
      const number = arch?.number(call);
      const known = header.get(call);
      const newer = known === undefined && number !== undefined && number > last;
      return number === (known ?? NONE) || newer ? [] : [`${call}: ${number}, header says ${known}`];
    });
    expect(wrong).toEqual([]);
    expect(header.size).toBeGreaterThan(250);
  });

  test("stand for one call each", () => {
    const arch = architectureOf(name);
    const numbers = (Object.keys(SYSCALLS) as SyscallName[])
      .map((call) => arch?.number(call))
      .filter((number) => number !== NONE);
    expect(new Set(numbers).size).toBe(numbers.length);
  });
});

test("an architecture that is not known has no table", () => {
  expect(["riscv64", "ia32", "toString"].map(architectureOf)).toEqual([undefined, undefined, undefined]);
});

import type { SealProfile, SyscallGroup } from "../../src/sandbox/profile.ts";
import type { ArgumentRule, ArgumentTest } from "./argument-rules.ts";
import { argumentRules } from "./argument-rules.ts";
import { ENOSYS, type Libc } from "./libc.ts";
import { REFUSED_CALLS } from "./syscall-groups.ts";
import { type Architecture, NONE } from "./syscall-table.ts";

/** One instruction of classic BPF, as seccomp runs it: code, jumps when true and false, constant. */
type Instruction = readonly [code: number, whenTrue: number, whenFalse: number, constant: number];

const LOAD = 0x20;
const JUMP_EQUAL = 0x15;
const JUMP_AT_LEAST = 0x35;
const JUMP_ANY_BIT = 0x45;
const RETURN = 0x06;

const OFFSET_NUMBER = 0;
const OFFSET_ARCH = 4;
const OFFSET_ARGUMENTS = 16;

const EPERM = 1;
const RETURN_ERRNO = 0x0005_0000;
const ALLOW: Instruction = [RETURN, 0, 0, 0x7fff_0000];
const REFUSE: Instruction = [RETURN, 0, 0, RETURN_ERRNO | EPERM];
/** What a kernel without the call says: the C library then falls back to clone, whose flags can be judged. */
const NOT_THERE: Instruction = [RETURN, 0, 0, RETURN_ERRNO | ENOSYS];

const SET_MODE_FILTER = 1n;
const FLAG_TSYNC = 1n;
const GET_ACTION_AVAILABLE = 2n;

/**
 * A filter that refuses these groups with EPERM and every call of another convention (32-bit, x32) too. Numbers are
 * tested one by one: the kernel remembers for each number that is always allowed that it need not run the filter.
 */
export function buildFilter(arch: Architecture, refuse: readonly SyscallGroup[]): Uint8Array {
  const groups = new Set(refuse);
  const program: Instruction[] = [
    [LOAD, 0, 0, OFFSET_ARCH],
    [JUMP_EQUAL, 1, 0, arch.auditArch],
    REFUSE,
    [LOAD, 0, 0, OFFSET_NUMBER],
  ];
  if (arch.foreignFrom !== undefined) program.push([JUMP_AT_LEAST, 0, 1, arch.foreignFrom], REFUSE);
  program.push([JUMP_EQUAL, 0, 1, arch.number("clone3")], NOT_THERE);
  for (const group of groups) {
    for (const call of REFUSED_CALLS[group]) {
      const number = arch.number(call);
      if (number !== NONE) program.push([JUMP_EQUAL, 0, 1, number], REFUSE);
    }
  }
  for (const rule of argumentRules(groups)) program.push(...judgeArguments(arch, rule));
  program.push(ALLOW);
  return encode(program);
}

function judgeArguments(arch: Architecture, rule: ArgumentRule): Instruction[] {
  const tests = rule.tests.map(testInstructions);
  const judge: Instruction[] = [];
  for (const [index, instructions] of tests.entries()) {
    const after = tests.slice(index + 1).reduce((sum, next) => sum + next.length, 0);
    // A test that does not hold jumps over what follows, and over REFUSE, to ALLOW.
    judge.push(...instructions.map((instruction) => resolveJumps(instruction, after + 1)));
  }
  judge.push(REFUSE, ALLOW);
  return [[JUMP_EQUAL, 0, judge.length, arch.number(rule.call)], ...judge];
}

/** The jump to ALLOW, before it is known how far that is from the end of the test. */
const TO_ALLOW = 0x80;

function resolveJumps([code, whenTrue, whenFalse, constant]: Instruction, distance: number): Instruction {
  const resolve = (jump: number): number => (jump === TO_ALLOW ? distance : jump);
  return [code, resolve(whenTrue), resolve(whenFalse), constant];
}

function testInstructions(test: ArgumentTest): Instruction[] {
  // Both architectures are little-endian: the low half comes first.
  const load: Instruction = [LOAD, 0, 0, OFFSET_ARGUMENTS + 8 * test.argument];
  if ("anyBitOf" in test) return [load, [JUMP_ANY_BIT, 0, TO_ALLOW, test.anyBitOf]];
  if ("noBitOf" in test) return [load, [JUMP_ANY_BIT, TO_ALLOW, 0, test.noBitOf]];
  const last = test.oneOf.length - 1;
  return [
    load,
    ...test.oneOf.map(
      (value, index): Instruction => [JUMP_EQUAL, last - index, index === last ? TO_ALLOW : 0, value],
    ),
  ];
}

const INSTRUCTION_BYTES = 8;

function encode(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * INSTRUCTION_BYTES);
  for (const [index, [code, whenTrue, whenFalse, constant]] of program.entries()) {
    const at = index * INSTRUCTION_BYTES;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(whenTrue, at + 2);
    bytes.writeUInt8(whenFalse, at + 3);
    bytes.writeUInt32LE(constant >>> 0, at + 4);
  }
  return bytes;
}

/** Whether the kernel can refuse a call with an errno. Changes nothing. */
export function seccompAvailable(libc: Libc): boolean {
  const action = Buffer.alloc(4);
  action.writeUInt32LE(RETURN_ERRNO);
  return libc.call("seccomp", GET_ACTION_AVAILABLE, 0n, action) === 0;
}

/**
 * Puts the filter on this thread (of scope `process`: on every thread of the process) and what it starts; needs
 * no_new_privs. 0, a negated errno, or the id of a thread that could not take it.
 */
export function installFilter(
  libc: Libc,
  filter: Uint8Array,
  scope: SealProfile["scope"] = "thread",
): number {
  const program = Buffer.alloc(16);
  program.writeUInt16LE(filter.byteLength / INSTRUCTION_BYTES, 0);
  program.writeBigUInt64LE(libc.addressOf(filter), 8);
  const result = libc.call("seccomp", SET_MODE_FILTER, scope === "process" ? FLAG_TSYNC : 0n, program);
  // The kernel read the filter through its address alone: it must not be collected before that.
  return filter.byteLength > 0 ? result : -EPERM;
}

import type { SyscallGroup } from "../../src/sandbox/profile.ts";
import type { SyscallName } from "./syscall-table.ts";

/** A test of the low 32 bits of one argument (from 0); seccomp sees numbers only, never what a pointer points to. */
export type ArgumentTest =
  | { argument: number; anyBitOf: number }
  | { argument: number; noBitOf: number }
  | { argument: number; oneOf: readonly number[] };

/** Refused when every test holds. */
export interface ArgumentRule {
  call: SyscallName;
  tests: readonly ArgumentTest[];
}

const CLONE_THREAD = 0x0001_0000;
/** New mount, cgroup and time namespaces: other views of what the rules are about. */
const CLONE_NEWNS = 0x0002_0000;
const CLONE_NEWCGROUP = 0x0200_0000;
const CLONE_NEWTIME = 0x0000_0080;
/** UTS, IPC, user, PID and network: with these a program can be shut in further and killed as a whole. */
const CLONE_NEW_CHILD = 0x7c00_0000;

const PROT_EXEC = 0x4;
const MAP_ANONYMOUS = 0x20;

const TIOCSTI = 0x5412;
const TIOCLINUX = 0x541c;

/** The rules by argument that refusing these groups means: at most one for each system call. */
export function argumentRules(refuse: ReadonlySet<SyscallGroup>): ArgumentRule[] {
  const rules: ArgumentRule[] = [];
  const clone = cloneFlags(refuse);
  if (clone !== 0) rules.push({ call: "clone", tests: [{ argument: 0, anyBitOf: clone }] });
  const unshare = unshareFlags(refuse);
  if (unshare !== 0) rules.push({ call: "unshare", tests: [{ argument: 0, anyBitOf: unshare }] });
  if (refuse.has("native-code")) {
    // V8 compiles into anonymous memory; a library is mapped from a file.
    const tests = [
      { argument: 2, anyBitOf: PROT_EXEC },
      { argument: 3, noBitOf: MAP_ANONYMOUS },
    ];
    rules.push({ call: "mmap", tests });
  }
  if (refuse.has("terminal")) {
    rules.push({ call: "ioctl", tests: [{ argument: 1, oneOf: [TIOCSTI, TIOCLINUX] }] });
  }
  return rules;
}

/** CLONE_NEWTIME is no flag of clone: there the bit belongs to the exit signal. */
function cloneFlags(refuse: ReadonlySet<SyscallGroup>): number {
  return (unshareFlags(refuse) & ~CLONE_NEWTIME) | (refuse.has("threads") ? CLONE_THREAD : 0);
}

function unshareFlags(refuse: ReadonlySet<SyscallGroup>): number {
  const mounts = refuse.has("namespaces") ? CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWTIME : 0;
  return mounts | (refuse.has("child-namespaces") ? CLONE_NEW_CHILD : 0);
}

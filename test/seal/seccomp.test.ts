import { describe, expect, test } from "vitest";
import type { ProfileOptions } from "../../src/sandbox/profile.ts";
import { sealProfile } from "../../src/sandbox/profile.ts";
import { buildFilter } from "../../workers/seal/seccomp.ts";
import {
  type Architecture,
  architectureOf,
  NONE,
  type SyscallName,
} from "../../workers/seal/syscall-table.ts";

const EPERM = 0x0005_0001;
const ENOSYS = 0x0005_0026;
const ALLOW = 0x7fff_0000;

interface Call {
  arch: number;
  number: number;
  args?: number[];
}

/** Runs the filter as the kernel would. */
function judge(filter: Uint8Array, { arch, number, args = [] }: Call): number {
  const code = Buffer.from(filter);
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch >>> 0, 4);
  for (const [index, value] of args.entries()) data.writeUInt32LE(value >>> 0, 16 + 8 * index);
  let accumulator = 0;
  for (let pc = 0; pc * 8 < code.length; pc++) {
    const constant = code.readUInt32LE(pc * 8 + 4);
    const jump = (taken: boolean): number => code.readUInt8(pc * 8 + (taken ? 2 : 3));
    switch (code.readUInt16LE(pc * 8)) {
      case 0x20:
        accumulator = data.readUInt32LE(constant);
        break;
      case 0x15:
        pc += jump(accumulator === constant);
        break;
      case 0x35:
        pc += jump(accumulator >= constant);
        break;
      case 0x45:
        pc += jump((accumulator & constant) !== 0);
        break;
      case 0x06:
        return constant;
      default:
        throw new Error(`unknown instruction at ${pc}`);
    }
  }
  throw new Error("the filter ends without an answer");
}

function known(name: string): Architecture {
  const arch = architectureOf(name);
  if (!arch) throw new Error(name);
  return arch;
}

function filterOf(
  arch: Architecture,
  options: Partial<ProfileOptions>,
): (call: SyscallName, ...args: number[]) => number {
  const { refuse } = sealProfile({ profile: "read", root: "/w", readPaths: [], ...options });
  const filter = buildFilter(arch, refuse);
  return (call, ...args) => judge(filter, { arch: arch.auditArch, number: arch.number(call), args });
}

const REFUSED_EVERYWHERE = [
  "socket",
  "connect",
  "bind",
  "listen",
  "accept4",
  "ptrace",
  "process_vm_readv",
  "process_vm_writev",
  "pidfd_getfd",
  "mount",
  "umount2",
  "pivot_root",
  "chroot",
  "setns",
  "move_mount",
  "open_tree",
  "fsopen",
  "io_uring_setup",
  "bpf",
  "keyctl",
  "add_key",
  "request_key",
  "perf_event_open",
  "userfaultfd",
  "kexec_load",
  "init_module",
  "finit_module",
  "open_by_handle_at",
  "name_to_handle_at",
  "quotactl",
  "acct",
  "swapon",
  "reboot",
  "setuid",
  "setgroups",
  "capset",
  "fchmodat",
  "fchownat",
  "setxattr",
  "truncate",
] as const satisfies readonly SyscallName[];

const REFUSED_TO_TOOLS = [
  "execve",
  "execveat",
  "kill",
  "tkill",
  "tgkill",
  "pidfd_send_signal",
  "rt_sigqueueinfo",
  "socketpair",
  "sendto",
  "sendmsg",
  "recvmsg",
  "shutdown",
  "inotify_init1",
  "chdir",
  "fchdir",
  "mknodat",
  "setpriority",
  "shmat",
  "utimensat",
] as const satisfies readonly SyscallName[];

describe.each(["x64", "arm64"])("the filter on %s", (name) => {
  const arch = known(name);

  test.each(["read", "write", "shell"] as const)("refuses to profile %s what no profile needs", (profile) => {
    const answer = filterOf(arch, { profile });
    expect(REFUSED_EVERYWHERE.filter((call) => answer(call) !== EPERM)).toEqual([]);
  });

  test("refuses to tools what only programs need, and lets the shell have it", () => {
    for (const profile of ["read", "write"] as const) {
      const answer = filterOf(arch, { profile });
      expect(REFUSED_TO_TOOLS.filter((call) => answer(call) !== EPERM)).toEqual([]);
    }
    const shell = filterOf(arch, { profile: "shell", shellWorkspace: "read-write" });
    expect(REFUSED_TO_TOOLS.filter((call) => shell(call) !== ALLOW)).toEqual([]);
  });

  test("judges clone by its flags, and hides clone3, whose flags it cannot see", () => {
    const fork = 17;
    const thread = 0x3d_0f00;
    const newUser = 0x1000_0000 | fork;
    const newMounts = 0x0002_0000 | fork;
    const answers = (profile: "read" | "shell"): number[] => {
      const answer = filterOf(arch, { profile });
      return [fork, thread, newUser, newMounts].map((flags) => answer("clone", flags));
    };
    expect(answers("read")).toEqual([ALLOW, EPERM, EPERM, EPERM]);
    expect(answers("shell")).toEqual([ALLOW, ALLOW, ALLOW, EPERM]);
    expect(filterOf(arch, { profile: "shell" })("clone3")).toBe(ENOSYS);
  });

  test("lets a program of the shell have namespaces of its own, except of mounts", () => {
    const flags = { pidAndNet: 0x6000_0000, mounts: 0x0002_0000, cgroup: 0x0200_0000, time: 0x80 };
    const shell = filterOf(arch, { profile: "shell" });
    expect(Object.values(flags).map((flag) => shell("unshare", flag))).toEqual([ALLOW, EPERM, EPERM, EPERM]);
    const read = filterOf(arch, { profile: "read" });
    expect(Object.values(flags).map((flag) => read("unshare", flag))).toEqual([EPERM, EPERM, EPERM, EPERM]);
  });

  test("refuses executable memory from a file, and leaves the compiler its anonymous memory", () => {
    const maps: [protection: number, flags: number][] = [
      [5, 0x02],
      [5, 0x22],
      [1, 0x02],
    ];
    const answers = (profile: "read" | "shell"): number[] => {
      const answer = filterOf(arch, { profile });
      return maps.map(([protection, flags]) => answer("mmap", 0, 4096, protection, flags));
    };
    expect(answers("read")).toEqual([EPERM, ALLOW, ALLOW]);
    expect(answers("shell")).toEqual([ALLOW, ALLOW, ALLOW]);
  });

  test("refuses to type into the terminal", () => {
    for (const profile of ["read", "write", "shell"] as const) {
      const answer = filterOf(arch, { profile });
      expect([0x5412, 0x541c, 0x5401].map((request) => answer("ioctl", 0, request))).toEqual([
        EPERM,
        EPERM,
        ALLOW,
      ]);
    }
  });

  test("keeps modes and times as they are wherever nothing may be written", () => {
    const changes = (options: Partial<ProfileOptions>): number[] => {
      const answer = filterOf(arch, options);
      return [answer("fchmod"), answer("utimensat")];
    };
    expect(changes({ profile: "read" })).toEqual([EPERM, EPERM]);
    expect(changes({ profile: "write" })).toEqual([ALLOW, EPERM]);
    expect(changes({ profile: "shell" })).toEqual([EPERM, EPERM]);
    expect(changes({ profile: "shell", shellWorkspace: "read-write" })).toEqual([ALLOW, ALLOW]);
  });

  test("lets pass what Node itself lives on", () => {
    const answer = filterOf(arch, { profile: "read" });
    // io_uring_enter (426), and openat2: Node aborts without the first, the guard uses the second.
    const { refuse } = sealProfile({ profile: "read", root: "/w", readPaths: [] });
    const uring = judge(buildFilter(arch, refuse), { arch: arch.auditArch, number: 426 });
    expect([uring, answer("openat2"), answer("close")]).toEqual([ALLOW, ALLOW, ALLOW]);
  });

  test("refuses every call of another architecture", () => {
    const { refuse } = sealProfile({ profile: "shell", root: "/w", readPaths: [] });
    const filter = buildFilter(arch, refuse);
    const i386 = 0x4000_0003;
    const others = ["x64", "arm64"].map(known).filter((other) => other.auditArch !== arch.auditArch);
    const foreign = [i386, ...others.map((other) => other.auditArch)];
    expect(foreign.map((auditArch) => judge(filter, { arch: auditArch, number: 0 }))).toEqual([EPERM, EPERM]);
  });
});

test("the filter on x64 refuses the x32 twin of every call", () => {
  const { refuse } = sealProfile({ profile: "shell", root: "/w", readPaths: [] });
  const arch = known("x64");
  const filter = buildFilter(arch, refuse);
  const allowed = Array.from({ length: 600 }, (_, number) => 0x4000_0000 + number).filter(
    (number) => judge(filter, { arch: arch.auditArch, number }) !== EPERM,
  );
  expect(allowed).toEqual([]);
});

test("a call that an architecture lacks does not turn into a rule for another", () => {
  expect(known("arm64").number("chmod")).toBe(NONE);
  const { refuse } = sealProfile({ profile: "read", root: "/w", readPaths: [] });
  const filter = buildFilter(known("arm64"), refuse);
  // 90 is chmod on x64 and capget on arm64.
  expect(judge(filter, { arch: known("arm64").auditArch, number: 90 })).toBe(ALLOW);
});

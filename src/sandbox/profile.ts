import type { ToolProfile } from "../tools/base-tool.ts";
import type { WorkerSetup } from "./protocol.ts";

/**
 * What may be done beneath a path. `read`: read and list. `write`: also create, change and remove files and folders.
 * `run`: read and execute. `build`: write and execute, with symlinks, FIFOs and sockets. `device`: read and write one
 * device node.
 */
export type PathAccess = "read" | "write" | "run" | "build" | "device";

export interface PathRule {
  path: string;
  access: PathAccess;
  /** `root`: must be there, be a folder and not be a symlink. `optional`: left out when it is not there. */
  presence: "root" | "required" | "optional";
}

/** Kinds of system calls, each refused or allowed as a whole; workers/seal/syscall-groups.ts lists the calls. */
export type SyscallGroup =
  | "exec"
  | "threads"
  | "sockets"
  | "socket-io"
  | "processes"
  | "signals"
  | "namespaces"
  | "child-namespaces"
  | "kernel"
  | "identity"
  | "scheduling"
  | "ipc"
  | "watches"
  | "working-directory"
  | "devices"
  | "metadata"
  | "file-mode"
  | "file-times"
  | "native-code"
  | "terminal";

/** What a sealed thread may do. Data alone: the seal turns it into Landlock rules and a seccomp filter. */
export interface SealProfile {
  readonly name: ToolProfile;
  /** `process`: the filter is put on every thread that is there already, and libuv's threads are not started before. */
  readonly scope: "thread" | "process";
  readonly paths: readonly PathRule[];
  readonly refuse: readonly SyscallGroup[];
}

/** Refused in every profile: nothing that a tool or a program of the shell profile does needs them. */
const NEVER: readonly SyscallGroup[] = [
  "sockets",
  "processes",
  "namespaces",
  "kernel",
  "identity",
  "metadata",
  "terminal",
];

/** Our own tools run no program, start no thread, and hand nothing to another process. */
const TOOL_ONLY: readonly SyscallGroup[] = [
  "exec",
  "threads",
  "child-namespaces",
  "socket-io",
  "signals",
  "scheduling",
  "ipc",
  "watches",
  "working-directory",
  "devices",
  "file-times",
  "native-code",
];

export const REFUSED: Readonly<Record<ToolProfile, readonly SyscallGroup[]>> = {
  read: [...NEVER, ...TOOL_ONLY, "file-mode"],
  // Changing the mode of an open file keeps an executable file executable when it is replaced.
  write: [...NEVER, ...TOOL_ONLY],
  shell: NEVER,
};

/** Programs and what they need to start. Nothing of /proc that tells of another process, no home, no /tmp. */
const SYSTEM_PATHS: readonly PathRule[] = [
  ...["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"].map(optional("run")),
  ...[
    "/etc/alternatives",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/proc/cpuinfo",
    "/proc/filesystems",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/sys/vm/overcommit_memory",
    "/proc/uptime",
    "/proc/version",
    "/dev/random",
    "/dev/urandom",
  ].map(optional("read")),
  ...["/dev/full", "/dev/null", "/dev/zero"].map(optional("device")),
];

function optional(access: PathAccess): (path: string) => PathRule {
  return (path) => ({ path, access, presence: "optional" });
}

export interface ProfileOptions extends Pick<WorkerSetup, "profile" | "root" | "readPaths"> {
  /**
   * What the shell profile may do to the workspace; read-only when nothing is said. Read-only leaves out executing:
   * a hook or helper that the checkout brings along does not run.
   */
  shellWorkspace?: "read-only" | "read-write";
}

/** The profile of a worker, for its workspace and the folders it may read besides. */
export function sealProfile(options: ProfileOptions): SealProfile {
  const extra = options.readPaths.map((path): PathRule => ({ path, access: "read", presence: "required" }));
  const root: PathRule = { path: options.root, access: workspaceAccess(options), presence: "root" };
  const system = options.profile === "shell" ? SYSTEM_PATHS : [];
  return {
    name: options.profile,
    scope: "thread",
    paths: [root, ...extra, ...system],
    refuse: refusedGroups(options),
  };
}

/**
 * The profile of a tool host as a whole, put on before it starts any thread: what its threads may do, besides
 * starting threads and reading the host's own code. Each thread then seals itself further with `sealProfile`.
 */
export function hostProfile(options: ProfileOptions & { codePaths: readonly string[] }): SealProfile {
  const profile = sealProfile(options);
  const code = options.codePaths.map((path): PathRule => ({ path, access: "read", presence: "required" }));
  return {
    ...profile,
    scope: "process",
    paths: [...profile.paths, ...code],
    refuse: profile.refuse.filter((group) => group !== "threads"),
  };
}

function workspaceAccess({ profile, shellWorkspace }: ProfileOptions): PathAccess {
  if (profile === "shell") return shellWorkspace === "read-write" ? "build" : "read";
  return profile;
}

/** Landlock knows no right for modes and times: they are refused where nothing may be written. */
function refusedGroups({ profile, shellWorkspace }: ProfileOptions): readonly SyscallGroup[] {
  const readOnlyShell = profile === "shell" && shellWorkspace !== "read-write";
  return readOnlyShell ? [...REFUSED.shell, "file-mode", "file-times"] : REFUSED[profile];
}

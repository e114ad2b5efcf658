import { access } from "node:fs";
import inspector from "node:inspector";
import { syncBuiltinESMExports } from "node:module";
import type { SealProfile, SyscallGroup } from "../../src/sandbox/profile.ts";
import { buildRuleset, closeRuleset, landlockAbi, restrictSelf } from "./landlock.ts";
import { type Libc, libc } from "./libc.ts";
import { buildFilter, installFilter, seccompAvailable } from "./seccomp.ts";

/** What sealing this thread came to. */
export type SealOutcome =
  | { state: "sealed"; landlockAbi: number; seccomp: true }
  | {
      state: "unavailable";
      landlockAbi: number;
      seccomp: boolean;
      reason: string;
      /** False when the thread is half sealed: then it must take no task, whatever the run allows. */
      usable: boolean;
    };

const PR_SET_NO_NEW_PRIVS = 38;
/** The first ABI whose scopes keep signals of a sealed program inside. */
const ABI_WITH_SIGNAL_SCOPE = 6;

/**
 * Seals the calling thread (of scope `process`: with Landlock the calling thread, with seccomp all there are), for
 * good, and what it starts from here on: Landlock for paths, seccomp for system calls,
 * no_new_privs. Never throws. Whatever can fail is done first; after that only the two last steps are left. Load
 * everything that the thread needs of its own code before.
 */
export function sealThread(profile: SealProfile): SealOutcome {
  const lib = libc();
  if ("reason" in lib) {
    return { state: "unavailable", landlockAbi: 0, seccomp: false, reason: lib.reason, usable: true };
  }
  const offered = { landlockAbi: landlockAbi(lib), seccomp: seccompAvailable(lib) };
  const unavailable = (reason: string, usable = true): SealOutcome => ({
    state: "unavailable",
    ...offered,
    reason,
    usable,
  });
  try {
    const problem = missing(offered) ?? apply(lib, profile, offered.landlockAbi);
    if (problem === undefined) return { state: "sealed", landlockAbi: offered.landlockAbi, seccomp: true };
    return typeof problem === "string" ? unavailable(problem) : unavailable(problem.halfSealed, false);
  } catch (error) {
    return unavailable(`the seal failed: ${error instanceof Error ? error.message : String(error)}`, false);
  }
}

function missing(offered: { landlockAbi: number; seccomp: boolean }): string | undefined {
  if (offered.landlockAbi === 0)
    return "the kernel offers no Landlock (Linux 5.13 or later, and switched on)";
  return offered.seccomp ? undefined : "the kernel offers no seccomp filter";
}

function apply(lib: Libc, profile: SealProfile, abi: number): string | { halfSealed: string } | undefined {
  const filter = buildFilter(lib.arch, refusedWith(abi, profile.refuse));
  const noNewPrivileges = lib.prctl(PR_SET_NO_NEW_PRIVS, 1n);
  if (noNewPrivileges !== 0) return `no_new_privs failed with errno ${-noNewPrivileges}`;
  const ruleset = buildRuleset(lib, abi, profile.paths);
  if (typeof ruleset === "string") return ruleset;
  if (profile.scope === "thread") startLibuvPool(profile);
  const restricted = restrictSelf(lib, ruleset);
  const closed = closeRuleset(lib, ruleset);
  if (restricted !== 0) return `landlock_restrict_self failed with errno ${-restricted}`;
  const filtered = installFilter(lib, filter, profile.scope);
  if (filtered !== 0) return { halfSealed: `Landlock holds, but seccomp failed with errno ${-filtered}` };
  if (closed !== 0) return { halfSealed: `the ruleset's descriptor stayed open: errno ${-closed}` };
  dropBackDoors();
  return undefined;
}

/** Without Landlock's signal scope nothing but the filter keeps a program from signalling the runtime. */
function refusedWith(abi: number, refuse: readonly SyscallGroup[]): readonly SyscallGroup[] {
  return abi >= ABI_WITH_SIGNAL_SCOPE ? refuse : [...refuse, "signals"];
}

/**
 * The main thread has started libuv's threads long before. Should it not have, then this thread must not be the one
 * to start them once it is sealed: they would be sealed too, or not start at all, and Node aborts.
 */
function startLibuvPool({ paths }: SealProfile): void {
  // The workspace: Node's permission model lets a tool host ask for nothing else.
  access(paths[0]?.path ?? ".", () => {});
}

/**
 * What the kernel cannot refuse, taken out of this realm; fresh realms (threads of its own) are refused by the filter.
 * The C library finds an addon that is loaded already (koffi) by its name alone, without opening a file. The inspector
 * reads what closures hold, Node's own loader among it, and its server aborts the process when its thread is refused.
 */
function dropBackDoors(): void {
  refuseCalls(process, ["dlopen"], "ERR_DLOPEN_FAILED");
  // Hands out the inspector's inner side.
  refuseCalls(process, ["binding"], "ERR_ACCESS_DENIED");
  refuseCalls(inspector, ["open", "Session"], "ERR_ACCESS_DENIED");
  // An ES module that imports the names gets these too.
  syncBuiltinESMExports();
}

function refuseCalls(owner: object, names: readonly string[], code: string): void {
  for (const name of names) {
    const value = function refused(): never {
      throw Object.assign(new Error(`${name} is not available in a sealed thread`), { code });
    };
    Object.defineProperty(owner, name, { value, writable: false, configurable: false });
  }
}

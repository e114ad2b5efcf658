import { closeSync, constants, fstatSync, openSync } from "node:fs";
import type { PathAccess, PathRule } from "../../src/sandbox/profile.ts";
import type { Libc } from "./libc.ts";

const EXECUTE = 1n << 0n;
const WRITE_FILE = 1n << 1n;
const READ_FILE = 1n << 2n;
const READ_DIR = 1n << 3n;
const REMOVE_DIR = 1n << 4n;
const REMOVE_FILE = 1n << 5n;
const MAKE_DIR = 1n << 7n;
const MAKE_REG = 1n << 8n;
const MAKE_SOCK = 1n << 9n;
const MAKE_FIFO = 1n << 10n;
const MAKE_SYM = 1n << 12n;
const REFER = 1n << 13n;
const TRUNCATE = 1n << 14n;
const IOCTL_DEV = 1n << 15n;

const READ = READ_FILE | READ_DIR;
const WRITE = READ | WRITE_FILE | REMOVE_DIR | REMOVE_FILE | MAKE_DIR | MAKE_REG | REFER | TRUNCATE;
const FILE_RIGHTS = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV;

const RIGHTS: Readonly<Record<PathAccess, bigint>> = {
  read: READ,
  write: WRITE,
  run: READ | EXECUTE,
  build: WRITE | EXECUTE | MAKE_SYM | MAKE_FIFO | MAKE_SOCK,
  device: READ_FILE | WRITE_FILE | IOCTL_DEV,
};

/** What a ruleset of one Landlock ABI forbids unless a rule allows it. */
export interface Handled {
  fs: bigint;
  /** TCP bind and connect. */
  net: bigint;
  /** Abstract UNIX sockets and signals to processes outside. */
  scoped: bigint;
  /** How much of struct landlock_ruleset_attr this ABI knows. */
  attrBytes: number;
}

/** ABI 1 has 13 file rights; 2 adds REFER, 3 TRUNCATE, 4 TCP, 5 device ioctl, 6 scopes; 7 and later no new right. */
export function handledBy(abi: number): Handled {
  const fsRights = 13 + (abi >= 2 ? 1 : 0) + (abi >= 3 ? 1 : 0) + (abi >= 5 ? 1 : 0);
  return {
    fs: (1n << BigInt(fsRights)) - 1n,
    net: abi >= 4 ? 0b11n : 0n,
    scoped: abi >= 6 ? 0b11n : 0n,
    attrBytes: abi >= 6 ? 24 : abi >= 4 ? 16 : 8,
  };
}

/** The rights that a rule gives, of those that the ABI has; a file takes no rights of folders. */
export function rightsOf(access: PathAccess, abi: number, isDirectory: boolean): bigint {
  return RIGHTS[access] & handledBy(abi).fs & (isDirectory ? ~0n : FILE_RIGHTS);
}

const CREATE_RULESET_VERSION = 1n;
const RULE_PATH_BENEATH = 1n;

/** The ABI that the kernel offers; 0 when it has no Landlock or it is switched off. */
export function landlockAbi(libc: Libc): number {
  return Math.max(0, libc.call("landlock_create_ruleset", 0n, 0n, CREATE_RULESET_VERSION));
}

/** A ruleset's descriptor with every rule in it, or why not. Nothing is restricted yet. The caller closes it. */
export function buildRuleset(libc: Libc, abi: number, rules: readonly PathRule[]): number | string {
  const { fs, net, scoped, attrBytes } = handledBy(abi);
  const attr = Buffer.alloc(24);
  attr.writeBigUInt64LE(fs, 0);
  attr.writeBigUInt64LE(net, 8);
  attr.writeBigUInt64LE(scoped, 16);
  const ruleset = libc.call("landlock_create_ruleset", attr, BigInt(attrBytes), 0n);
  if (ruleset < 0) return `landlock_create_ruleset failed with errno ${-ruleset}`;
  for (const rule of rules) {
    const problem = addRule(libc, { ruleset, abi, rule });
    if (problem !== undefined) {
      closeRuleset(libc, ruleset);
      return problem;
    }
  }
  return ruleset;
}

/** Through the C library: Node warns when it is given a descriptor to close that it did not open. */
export function closeRuleset(libc: Libc, ruleset: number): number {
  return libc.call("close", BigInt(ruleset));
}

/** Restricts this thread and what it starts; needs no_new_privs. 0 or a negated errno. */
export function restrictSelf(libc: Libc, ruleset: number): number {
  return libc.call("landlock_restrict_self", BigInt(ruleset), 0n);
}

const O_PATH = 0o10000000;

interface RuleToAdd {
  ruleset: number;
  abi: number;
  rule: PathRule;
}

function addRule(libc: Libc, { ruleset, abi, rule }: RuleToAdd): string | undefined {
  const opened = openPath(rule);
  if (typeof opened !== "number") return opened?.problem;
  try {
    const rights = rightsOf(rule.access, abi, fstatSync(opened).isDirectory());
    // struct landlock_path_beneath_attr is packed: rights, then the descriptor.
    const attr = Buffer.alloc(12);
    attr.writeBigUInt64LE(rights, 0);
    attr.writeInt32LE(opened, 8);
    const result = libc.call("landlock_add_rule", BigInt(ruleset), RULE_PATH_BENEATH, attr, 0n);
    return result === 0
      ? undefined
      : `landlock_add_rule failed with errno ${-result} for ${JSON.stringify(rule.path)}`;
  } finally {
    closeSync(opened);
  }
}

function openPath(rule: PathRule): number | { problem: string } | undefined {
  const flags = rule.presence === "root" ? constants.O_DIRECTORY | constants.O_NOFOLLOW : 0;
  try {
    return openSync(rule.path, O_PATH | flags);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (rule.presence === "optional" && (code === "ENOENT" || code === "EACCES")) return undefined;
    return {
      problem: `${JSON.stringify(rule.path)} cannot be opened for the seal: ${code ?? String(error)}`,
    };
  }
}

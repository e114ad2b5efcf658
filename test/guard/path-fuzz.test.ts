import fc from "fast-check";
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { Workspace } from "../../src/sandbox/guard/workspace.ts";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";
import { makeAttackTree, type AttackTree } from "../../src/probe/attack-tree.ts";
import { testSyscalls } from "../support/openat2.ts";

/** FUZZ_RUNS=1000000 for the full count. */
const RUNS = Number(process.env["FUZZ_RUNS"] ?? 6_000);
const SEED = 20_261_201;
/** One in so many paths is written to as well: a write is a hundred times as slow. */
const WRITE_EVERY = 20;

const NAMES = [
  "ok.txt",
  "sub",
  "in.txt",
  "out",
  "abs",
  "up",
  "self",
  "loop",
  "chain",
  "fifo",
  "root",
  "outside",
  "rootevil",
  "secret.txt",
  "proc",
  "environ",
  "etc",
  "passwd",
  "dev",
  "fd",
  "0",
  ".env",
  ".git",
  "config",
  "hooks",
  "id_rsa",
  ".ruizn",
  "caf\u00e9",
  "cafe\u0301",
  "new",
  "a b",
  "-rf",
  "~",
  "$HOME",
  "*",
  "{a,b}",
  "CON",
  "nul",
];
const ODD = [
  "..",
  ".",
  "",
  "...",
  "....",
  ".. ",
  "..\\",
  "%2e%2e",
  "%2f",
  "..%2f",
  "\uff0e\uff0e",
  "\u2024\u2024",
  "\u2215",
  "\0",
  "\n",
  "\r",
  "\x1b",
  "\u202e",
  "\u200b",
  "\ud800",
  "\udfff",
  "\ufeff",
  "..\0",
  "..;",
  "file:",
  "C:",
  "\\\\?\\",
];
const SEPARATORS = ["/", "/", "/", "//", "/./", "/../", "\\", "/\\", "\u2215", "\uff0f"];

let tree: AttackTree;
let before: string;

beforeAll(() => {
  tree = makeAttackTree();
  symlinkSync("../outside", join(tree.root, "out"));
  symlinkSync(tree.outside, join(tree.root, "abs"));
  symlinkSync("..", join(tree.root, "up"));
  symlinkSync("/proc/self", join(tree.root, "self"));
  symlinkSync("loop", join(tree.root, "loop"));
  symlinkSync("sub/chain", join(tree.root, "chain"));
  symlinkSync("../out", join(tree.root, "sub", "chain"));
  symlinkSync("..", join(tree.root, "sub", "up"));
  linkSync(join(tree.root, "ok.txt"), join(tree.root, "sub", "hard"));
  mkdirSync(join(tree.root, ".git", "hooks"), { recursive: true });
  writeFileSync(join(tree.root, ".env"), tree.canary);
  writeFileSync(join(tree.root, "caf\u00e9"), "1");
  tree.mkfifo(join(tree.root, "fifo"));
  before = tree.fingerprint();
});

afterAll(() => tree.remove());

function paths(): fc.Arbitrary<string> {
  const segment = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...NAMES) },
    { weight: 4, arbitrary: fc.constantFrom(...ODD) },
    { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 12 }) },
    { weight: 1, arbitrary: fc.integer({ min: 250, max: 260 }).map((length) => "n".repeat(length)) },
  );
  const tail = fc.array(fc.tuple(fc.constantFrom(...SEPARATORS), segment), { maxLength: 7 });
  const start = fc.oneof(
    { weight: 6, arbitrary: segment },
    { weight: 2, arbitrary: fc.constantFrom(tree.root, `${tree.root}evil`, tree.outside, tree.base) },
    { weight: 2, arbitrary: fc.constantFrom("", "/proc/self/root", "/proc/self/cwd", "/dev/fd", "/") },
  );
  return fc.tuple(start, tail).map(([first, rest]) => first + rest.flat().join(""));
}

function refusal(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    expect(error.message).not.toContain(tree.canary);
    expect(error.errorType).not.toBe("runtime_error");
  }
}

function read(workspace: Workspace, path: string): void {
  const opened = workspace.open(path);
  try {
    expect(`${tree.root}/${opened.path}/`.startsWith(`${tree.root}/`)).toBe(true);
    for (const { real_path } of workspace.evidence()) {
      expect(real_path === tree.root || real_path.startsWith(`${tree.root}/`)).toBe(true);
    }
    if (opened.kind === "directory") return;
    const buffer = Buffer.alloc(64);
    expect(buffer.toString("utf8", 0, opened.read(buffer, 0))).not.toContain(tree.canary);
  } finally {
    opened.discard();
  }
}

const WAYS: Record<string, LayerSwitches> = {
  openat2: {},
  walk: { openBeneath: "walk" },
  portable: { openBeneath: "portable" },
};

describe("a generated path", () => {
  it.each(Object.entries(WAYS))(
    "opened by %s reads and writes nothing outside",
    (_way, switches) => {
      const syscalls = testSyscalls();
      let count = 0;
      fc.assert(
        fc.property(paths(), (path) => {
          const workspace = openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
          try {
            refusal(() => read(workspace, path));
            if (count++ % WRITE_EVERY === 0) {
              refusal(() => void workspace.replaceFile(path, Buffer.from("x"), { createParents: true }));
              expect(tree.fingerprint()).toBe(before);
            }
          } finally {
            workspace.close();
          }
        }),
        { numRuns: Math.ceil(RUNS / 3), seed: SEED },
      );
      expect(tree.fingerprint()).toBe(before);
    },
    3_600_000,
  );
});

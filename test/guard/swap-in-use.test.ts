import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { Workspace } from "../../src/sandbox/guard/workspace.ts";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";
import { type AttackTree, makeAttackTree } from "../../src/probe/attack-tree.ts";
import { testSyscalls } from "../support/openat2.ts";

const WAYS: Record<string, LayerSwitches> = {
  openat2: {},
  walk: { openBeneath: "walk" },
  portable: { openBeneath: "portable" },
};

let tree: AttackTree;
let workspace: Workspace;

afterEach(() => {
  workspace.close();
  tree.remove();
});

/** Another process moves the folder away and puts a symlink to outside in its place, at the worst moment. */
function swapFolder(): void {
  renameSync(join(tree.root, "dir"), join(tree.root, "moved"));
  symlinkSync("../outside", join(tree.root, "dir"));
}

function outcome(act: () => unknown): unknown {
  try {
    return act();
  } catch (error) {
    if (error instanceof ToolFailure) return error.errorType;
    throw error;
  }
}

describe.each(Object.entries(WAYS))("a folder swapped for a symlink to outside, by %s", (way, switches) => {
  const byName = way === "portable";
  let before: string;

  beforeEach(() => {
    tree = makeAttackTree();
    mkdirSync(join(tree.root, "dir"));
    for (const folder of [join(tree.root, "dir"), tree.outside])
      writeFileSync(join(folder, "f"), "as it was");
    before = tree.fingerprint();
    const syscalls = testSyscalls();
    workspace = openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
  });

  afterEach(() => expect(tree.fingerprint()).toBe(before));

  it("while a file is being written in it: the write goes where the folder went, or nowhere", () => {
    const written = outcome(() => workspace.replaceFile("dir/f", Buffer.from("new"), { unless: swapFolder }));
    expect(written).toEqual(byName ? "permission_error" : { path: "moved/f", created: false, bytes: 3 });
    expect(readFileSync(join(tree.root, "moved/f"), "utf8")).toBe(byName ? "as it was" : "new");
  });

  it("while a file is being made in it", () => {
    const written = outcome(() => workspace.replaceFile("dir/g", Buffer.from("new"), { unless: swapFolder }));
    expect(written).toEqual(byName ? "permission_error" : { path: "moved/g", created: true, bytes: 3 });
    expect(existsSync(join(tree.root, "moved/g"))).toBe(!byName);
  });

  it("while a file is being removed from it", () => {
    const removed = outcome(() => workspace.removeFile("dir/f", { unless: swapFolder }));
    expect(removed).toBe(byName ? "permission_error" : undefined);
    expect(existsSync(join(tree.root, "moved/f"))).toBe(byName);
  });

  it("before it is listed: nothing outside is listed", () => {
    const directory = workspace.openDirectory("dir");
    swapFolder();
    const listed = outcome(() => directory.entries().entries.map(({ name }) => name));
    expect(listed).toEqual(byName ? "permission_error" : ["f"]);
  });

  it("before an entry of it is opened", () => {
    const directory = workspace.openDirectory("dir");
    swapFolder();
    expect(outcome(() => workspace.openEntry(directory, "f").path)).toBe(
      byName ? "permission_error" : "moved/f",
    );
  });

  it("before a symlink in it is read: no text of a symlink outside is shown", () => {
    symlinkSync("inside", join(tree.root, "dir/link"));
    symlinkSync("of-outside", join(tree.outside, "link"));
    before = tree.fingerprint();
    const directory = workspace.openDirectory("dir");
    swapFolder();
    const link = workspace.readLink(directory, "link");
    expect(link?.target).toBe(byName ? undefined : "inside");
  });

  it("after a file in it was opened: the open file is read on", () => {
    const file = workspace.openFile("dir/f");
    swapFolder();
    const buffer = Buffer.alloc(64);
    expect(buffer.toString("utf8", 0, file.read(buffer, 0))).toBe("as it was");
  });

  it.each(["a file", "a loop of symlinks", "nothing"])(
    "swapped for %s: a write says so, or goes where it went",
    (what) => {
      const swap = (): void => {
        renameSync(join(tree.root, "dir"), join(tree.root, "moved"));
        if (what === "a file") writeFileSync(join(tree.root, "dir"), "");
        if (what === "a loop of symlinks") symlinkSync("dir", join(tree.root, "dir"));
      };
      const written = outcome(() => workspace.replaceFile("dir/f", Buffer.from("new"), { unless: swap }));
      expect(written).toEqual(byName ? "permission_error" : { path: "moved/f", created: false, bytes: 3 });
    },
  );

  it("leaves no descriptor open", () => {
    const open = readdirSync("/proc/self/fd").length;
    outcome(() => workspace.replaceFile("dir/f", Buffer.from("new"), { unless: swapFolder }));
    rmSync(join(tree.root, "dir"));
    expect(readdirSync("/proc/self/fd").length).toBe(open);
  });
});

import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { OpenedFile, Workspace } from "../../src/sandbox/guard/workspace.ts";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";
import { makeAttackTree, type AttackTree } from "../../src/probe/attack-tree.ts";
import { testSyscalls } from "../support/openat2.ts";

const WAYS: Record<string, LayerSwitches> = {
  openat2: {},
  walk: { openBeneath: "walk" },
  portable: { openBeneath: "portable" },
};

let tree: AttackTree;
let workspace: Workspace;

beforeEach(() => {
  tree = makeAttackTree();
});

afterEach(() => {
  workspace.close();
  tree.remove();
});

function failure(act: () => unknown): [string, string] {
  try {
    act();
  } catch (error) {
    if (error instanceof ToolFailure) return [error.errorType, error.message];
    throw error;
  }
  throw new Error("nothing was refused");
}

function text(file: OpenedFile): string {
  const buffer = Buffer.alloc(1000);
  const read = buffer.subarray(0, file.read(buffer, 0)).toString();
  file.close();
  return read;
}

function descriptors(): number {
  return readdirSync("/proc/self/fd").length;
}

describe.each(Object.entries(WAYS))("opened by %s", (way, switches) => {
  beforeEach(() => {
    const syscalls = testSyscalls();
    workspace = openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
  });

  it("reads a file and says what it read, from the descriptor", () => {
    expect(text(workspace.openFile("sub//./in.txt"))).toBe("in\n");
    const { dev, ino } = statSync(join(tree.root, "sub/in.txt"));
    expect(workspace.evidence()).toEqual([
      {
        access: "read",
        real_path: join(tree.root, "sub/in.txt"),
        dev,
        ino,
        nlink: 1,
        bytes: 3,
        ...(way === "portable" ? { by_name: true } : {}),
      },
    ]);
  });

  it("takes an absolute path inside the root as the same file", () => {
    const file = workspace.openFile(join(tree.root, "ok.txt"));
    expect([file.path, text(file)]).toEqual(["ok.txt", "ok\n"]);
  });

  it("lists the root, sorted, and opens entries of it", () => {
    symlinkSync("ok.txt", join(tree.root, "link"));
    const directory = workspace.openDirectory(".");
    expect(directory.entries()).toEqual({
      entries: [
        { name: "link", kind: "symlink" },
        { name: "ok.txt", kind: "file" },
        { name: "sub", kind: "directory" },
      ],
      truncated: false,
    });
    expect(directory.entries(1)).toEqual({ entries: [{ name: "link", kind: "symlink" }], truncated: true });
    const entry = workspace.openEntry(directory, "ok.txt");
    expect(entry.kind === "file" && text(entry)).toBe("ok\n");
    const sub = workspace.openEntry(directory, "sub");
    expect([sub.kind, sub.path]).toEqual(["directory", "sub"]);
    expect(failure(() => workspace.openEntry(directory, "link"))).toEqual([
      "permission_error",
      `"link" is a symlink to "ok.txt", which is not followed here; name the file itself`,
    ]);
    for (const name of ["..", ".", "", "sub/in.txt", "a\0b"]) {
      expect(failure(() => workspace.openEntry(directory, name))[0]).toBe("invalid_input");
    }
  });

  it("follows symlinks that stay inside, also absolute ones, and names the real path", () => {
    symlinkSync("../ok.txt", join(tree.root, "sub/up"));
    symlinkSync(join(tree.root, "sub"), join(tree.root, "absolute"));
    symlinkSync("absolute/../sub/up", join(tree.root, "chain"));
    for (const path of ["sub/up", "chain", "absolute/up"]) {
      const file = workspace.openFile(path);
      expect([file.path, text(file)]).toEqual(["ok.txt", "ok\n"]);
    }
  });

  it("takes a file out of the evidence that is discarded", () => {
    workspace.openFile("ok.txt").discard();
    expect(workspace.evidence()).toEqual([]);
  });

  it("writes a new file, then replaces it, with a temp file that is gone afterwards", () => {
    expect(workspace.replaceFile("new.txt", Buffer.from("one"))).toEqual({
      path: "new.txt",
      created: true,
      bytes: 3,
    });
    chmodSync(join(tree.root, "new.txt"), 0o751);
    const seen: (string | undefined)[] = [];
    const unless = (current: OpenedFile | undefined): void => void seen.push(current && text(current));
    const again = workspace.replaceFile(join(tree.root, "new.txt"), Buffer.from("two!"), { unless });
    expect([again, seen]).toEqual([{ path: "new.txt", created: false, bytes: 4 }, ["one"]]);
    const { mode, dev, ino } = statSync(join(tree.root, "new.txt"));
    expect(mode & 0o7777).toBe(0o751);
    expect(readFileSync(join(tree.root, "new.txt"), "utf8")).toBe("two!");
    expect(readdirSync(tree.root).toSorted()).toEqual(["new.txt", "ok.txt", "sub"]);
    expect(workspace.evidence().at(-1)).toMatchObject({
      access: "write",
      real_path: join(tree.root, "new.txt"),
      dev,
      ino,
      bytes: 4,
    });
  });

  it("leaves everything as it was when the writer's own check throws", () => {
    const unless = (): never => {
      throw new ToolFailure("invalid_input", "changed since it was read");
    };
    expect(failure(() => workspace.replaceFile("ok.txt", Buffer.from("x"), { unless }))).toEqual([
      "invalid_input",
      "changed since it was read",
    ]);
    expect(readFileSync(join(tree.root, "ok.txt"), "utf8")).toBe("ok\n");
    expect(readdirSync(tree.root).toSorted()).toEqual(["ok.txt", "sub"]);
  });

  it("makes parent directories only when asked to", () => {
    expect(failure(() => workspace.replaceFile("a/b/c.txt", Buffer.from("x")))).toEqual([
      "not_found",
      `the directory "a/b" of "a/b/c.txt" does not exist`,
    ]);
    workspace.replaceFile("a/b/c.txt", Buffer.from("x"), { createParents: true });
    expect(readFileSync(join(tree.root, "a/b/c.txt"), "utf8")).toBe("x");
  });

  it("does not make hundreds of directories for one path", () => {
    const path = `${"a/".repeat(65)}f`;
    const made = (): unknown => workspace.replaceFile(path, Buffer.from("x"), { createParents: true });
    expect(failure(made)).toEqual([
      "invalid_input",
      `${JSON.stringify(path)} needs 65 new directories, at most 64 are made at once`,
    ]);
    expect(readdirSync(tree.root).toSorted()).toEqual(["ok.txt", "sub"]);
  });

  it("drops set-user-id bits of what it replaces", () => {
    chmodSync(join(tree.root, "ok.txt"), 0o4755);
    workspace.replaceFile("ok.txt", Buffer.from("x"));
    expect(statSync(join(tree.root, "ok.txt")).mode & 0o7777).toBe(0o755);
  });

  it("replaces a file whose name has the full 255 bytes", () => {
    const name = "n".repeat(255);
    workspace.replaceFile(name, Buffer.from("1"));
    workspace.replaceFile(name, Buffer.from("2"));
    expect(readFileSync(join(tree.root, name), "utf8")).toBe("2");
  });

  it("reads a file with other hard links and reports it, but does not write or remove it", () => {
    linkSync(join(tree.outside, "secret.txt"), join(tree.root, "hard"));
    expect(text(workspace.openFile("hard"))).toBe(tree.canary);
    expect(workspace.evidence().map((entry) => entry.nlink)).toEqual([2]);
    const before = tree.fingerprint();
    const refusal = `"hard" has 2 hard links, so the same file may lie outside the workspace; it is not written`;
    expect(failure(() => workspace.replaceFile("hard", Buffer.from("x")))).toEqual([
      "permission_error",
      refusal,
    ]);
    expect(failure(() => workspace.removeFile("hard"))).toEqual(["permission_error", refusal]);
    expect(tree.fingerprint()).toBe(before);
  });

  it("removes a file, and nothing else", () => {
    workspace.removeFile("ok.txt");
    expect(workspace.evidence()).toMatchObject([
      { access: "write", real_path: join(tree.root, "ok.txt"), bytes: 0 },
    ]);
    expect(failure(() => workspace.removeFile("ok.txt"))[0]).toBe("not_found");
    expect(failure(() => workspace.removeFile("sub"))).toEqual([
      "invalid_input",
      `"sub" is a directory, not a file`,
    ]);
    expect(failure(() => workspace.removeFile("."))[0]).toBe("invalid_input");
    expect(readdirSync(tree.root)).toEqual(["sub"]);
  });

  it("does not make a second file that looks like one that is there", () => {
    writeFileSync(join(tree.root, "caf\u00e9.txt"), "1");
    expect(failure(() => workspace.replaceFile("cafe\u0301.txt", Buffer.from("2")))[0]).toBe("invalid_input");
    expect(failure(() => workspace.openFile("cafe\u0301.txt"))).toEqual([
      "not_found",
      `"cafe\u0301.txt" does not exist; "caf\u00e9.txt" does, which looks the same but is other Unicode (caf%C3%A9.txt)`,
    ]);
  });

  it("shows a name that is not UTF-8 escaped, and opens no other file for it", () => {
    mkdirSync(join(tree.root, "raw"));
    writeFileSync(Buffer.concat([Buffer.from(join(tree.root, "raw/bad")), Buffer.from([0xff])]), "1");
    writeFileSync(join(tree.root, "raw/good"), "2");
    expect(workspace.openDirectory("raw").entries().entries).toEqual([
      { name: "bad\\xff", kind: "unreadable" },
      { name: "good", kind: "file" },
    ]);
    symlinkSync(Buffer.concat([Buffer.from("raw/bad"), Buffer.from([0xff])]), join(tree.root, "l"));
    expect(["invalid_input", "not_found"]).toContain(failure(() => workspace.openFile("l"))[0]);
  });

  it("ends a call that touches more than main would take as evidence", () => {
    const open = (): void => {
      for (let count = 0; count < 5_000; count++) workspace.openFile("ok.txt").close();
    };
    expect(failure(open)[0]).toBe("output_limit");
  });

  it("leaves no descriptor open, whatever happened", () => {
    workspace.close();
    const before = descriptors();
    const syscalls = testSyscalls();
    workspace = openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
    tree.mkfifo(join(tree.root, "fifo"));
    symlinkSync("../outside", join(tree.root, "out"));
    for (const path of ["fifo", "out/secret.txt", "ok.txt/x", "missing", "../x"]) {
      expect(failure(() => workspace.open(path))).toHaveLength(2);
      expect(failure(() => workspace.removeFile(path))).toHaveLength(2);
    }
    for (const path of ["ok.txt", "sub"]) workspace.open(path);
    workspace.replaceFile("a/b/c", Buffer.from("x"), { createParents: true });
    workspace.close();
    expect(descriptors()).toBe(before);
  });
});

import { execFileSync, spawnSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { Workspace } from "../../src/sandbox/guard/workspace.ts";
import { applyPatchBody } from "../../src/tools/apply-patch/body.ts";
import { unifiedDiff } from "../../src/tools/edit/unified-diff.ts";
import { hookedWorkspace } from "../support/hooked-workspace.ts";
import { makeToolFolder, type ToolFolder } from "../support/tool-workspace.ts";

const folders: ToolFolder[] = [];
const mounts: string[] = [];
afterEach(() => {
  for (const place of mounts.splice(0)) spawnSync("umount", [place]);
  for (const folder of folders.splice(0)) folder.remove();
});

function folderWith(files: Record<string, string>): ToolFolder {
  const folder = makeToolFolder(files);
  folders.push(folder);
  return folder;
}

/** Every file with its mode and what is in it; leftovers of a write among them. */
function snapshot({ root }: ToolFolder): Record<string, [mode: number, text: string]> {
  const paths = readdirSync(root, { recursive: true, encoding: "utf8" }).toSorted();
  const files = paths.filter((path) => statSync(join(root, path)).isFile());
  return Object.fromEntries(
    files.map((path) => [path, [statSync(join(root, path)).mode, readFileSync(join(root, path), "utf8")]]),
  );
}

const create = (path: string, text: string): string =>
  `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${text}\n`;
const remove = (path: string, text: string): string =>
  `--- a/${path}\n+++ /dev/null\n@@ -1 +0,0 @@\n-${text}\n`;
const change = (path: string, before: string, after: string): string =>
  unifiedDiff(path, `${before}\n`, `${after}\n`).text;

const FILES = { a: "one\n", b: "two\n", gone: "bye\n", "full/c": "three\n" };
const GOOD = [change("a", "one", "1"), create("new", "x"), change("b", "two", "2")].join("");
const LARGE = "y".repeat(100_000);

/** A file system of its own beneath the workspace; false where that is not allowed. */
function mount(folder: ToolFolder, options: string): boolean {
  const place = join(folder.root, "full");
  const { status } = spawnSync("mount", ["-t", "tmpfs", "-o", options, "tmpfs", place]);
  if (status !== 0) return false;
  mounts.push(place);
  return true;
}

async function expectUndone(folder: ToolFolder, patch: string, message: RegExp): Promise<void> {
  const before = snapshot(folder);
  const outcome = await folder.run(applyPatchBody, { patch });
  expect(outcome).toMatchObject({ ok: false, message: expect.stringMatching(message) });
  expect(snapshot(folder)).toEqual(before);
}

describe("a patch that fails half-way leaves every file as it was", () => {
  it("when a file grows over the limit of the process", async () => {
    const folder = folderWith(FILES);
    const limit = (soft: string): unknown =>
      execFileSync("prlimit", ["--pid", String(process.pid), `--fsize=${soft}:`]);
    limit("65536");
    onTestFinished(() => void limit("unlimited"));
    await expectUndone(folder, GOOD + create("large", LARGE), /EFBIG/);
  });

  it("when the disk is full", async (context) => {
    const folder = folderWith(FILES);
    if (!mount(folder, "size=16k")) context.skip();
    await expectUndone(folder, GOOD + create("full/large", LARGE), /ENOSPC/);
  });

  it("when a folder is read-only, for a change and for a deletion", async (context) => {
    const folder = folderWith(FILES);
    if (!mount(folder, "size=16k")) context.skip();
    writeFileSync(join(folder.root, "full/c"), "three\n");
    spawnSync("mount", ["-o", "remount,ro", join(folder.root, "full")]);
    await expectUndone(folder, GOOD + change("full/c", "three", "3"), /EROFS/);
    await expectUndone(folder, GOOD + remove("gone", "bye") + remove("full/c", "three"), /EROFS/);
  });

  it.each(["a symlink", "a hard link", "a folder"])("when %s is in the way", async (what) => {
    const folder = folderWith(FILES);
    const at = join(folder.root, "in-the-way");
    if (what === "a symlink") symlinkSync("b", at);
    if (what === "a hard link") linkSync(join(folder.root, "gone"), at);
    if (what === "a folder") mkdirSync(at);
    const last = what === "a hard link" ? change("in-the-way", "bye", "x") : create("in-the-way/f", "x");
    const patch = what === "a folder" ? create("in-the-way", "x") : last;
    await expectUndone(folder, GOOD + patch, /in-the-way/);
  });

  it("when it touches more files than can be vouched for, before or while it writes", async () => {
    for (const count of [700, 1_300]) {
      const names = Array.from({ length: count }, (_, index) => `f${index}`);
      const folder = folderWith(Object.fromEntries(names.map((name) => [name, "one\n"])));
      await expectUndone(
        folder,
        names.map((name) => change(name, "one", "1")).join(""),
        /more than \d+ files/,
      );
    }
  });
});

describe("what somebody else wrote after a patch did, and before it failed, is theirs", () => {
  /** Runs a patch that fails at its last file; `meanwhile` happens just before it writes that one. */
  async function failLast(folder: ToolFolder, meanwhile: () => void): Promise<string> {
    mkdirSync(join(folder.root, "last"));
    const workspace = openWorkspace({ root: folder.root });
    const replaceFile: Workspace["replaceFile"] = (path, ...rest) => {
      if (path === "last/file") {
        meanwhile();
        rmSync(join(folder.root, "last"), { recursive: true });
        writeFileSync(join(folder.root, "last"), "in the way\n");
      }
      return workspace.replaceFile(path, ...rest);
    };
    const watched = hookedWorkspace(workspace, { replaceFile });
    const patch = GOOD + create("last/file", "x");
    const context = { workspace: watched, signal: new AbortController().signal };
    try {
      const error: unknown = await (async () => applyPatchBody({ patch }, context))().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      return error instanceof Error ? error.message : "it did not fail";
    } finally {
      workspace.close();
    }
  }

  it.each([
    ["changed", "a", "theirs\n"],
    ["made", "new", "theirs\n"],
    ["changed back", "a", "one\n"],
  ])("a file that the patch %s", async (what, path, text) => {
    const folder = folderWith(FILES);
    const before = snapshot(folder);
    const message = await failLast(folder, () => writeFileSync(join(folder.root, path), text));
    expect(message).toMatch(new RegExp(`could not be put back: ${path}$`));
    const mode = statSync(join(folder.root, path)).mode;
    const expected = { ...before, [path]: [mode, text], last: [mode, "in the way\n"] };
    expect(snapshot(folder), what).toEqual(expected);
  });

  it("a file that is gone by then is not made again, and the others are put back", async () => {
    const folder = folderWith(FILES);
    const before = snapshot(folder);
    const message = await failLast(folder, () => rmSync(join(folder.root, "b")));
    expect(message).toMatch(/could not be put back: b$/);
    const { b: _gone, ...rest } = before;
    const { last: _inTheWay, ...found } = snapshot(folder);
    expect(found).toEqual(rest);
  });
});

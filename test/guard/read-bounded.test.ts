import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import { readBounded } from "../../src/sandbox/guard/read-bounded.ts";
import type { OpenedFile, Workspace } from "../../src/sandbox/guard/workspace.ts";
import { makeAttackTree, type AttackTree } from "../support/attack-tree.ts";

const KIB_512 = 524_288;

let tree: AttackTree;
let workspace: Workspace;

beforeEach(() => {
  tree = makeAttackTree();
  workspace = openWorkspace({ root: tree.root });
});

afterEach(() => {
  workspace.close();
  tree.remove();
});

function file(bytes: Uint8Array | string): OpenedFile {
  writeFileSync(join(tree.root, "f"), bytes);
  return workspace.openFile("f");
}

it.each([
  [KIB_512 - 1, KIB_512 - 1, false],
  [KIB_512, KIB_512, false],
  [KIB_512 + 1, KIB_512, true],
])("reads of %i bytes %i, and says whether there are more: %s", (size, shown, more) => {
  const read = readBounded(file(Buffer.alloc(size, "a")), { maxBytes: KIB_512 });
  expect([read.bytes.byteLength, read.more, read.bytesTotal]).toEqual([shown, more, size]);
});

it("reads from a position, also at and behind the end", () => {
  const opened = file("0123456789");
  const at = (position: number): unknown => {
    const { bytes, ...rest } = readBounded(opened, { maxBytes: 4, position });
    return { text: Buffer.from(bytes).toString(), ...rest };
  };
  expect(at(2)).toEqual({ text: "2345", more: true, bytesTotal: 10 });
  expect(at(6)).toEqual({ text: "6789", more: false, bytesTotal: 10 });
  expect(at(10)).toEqual({ text: "", more: false, bytesTotal: 10 });
  expect(at(99)).toEqual({ text: "", more: false, bytesTotal: 10 });
});

it("stops at the limit in a file that grew since it was opened", () => {
  const opened = file("small");
  appendFileSync(join(tree.root, "f"), Buffer.alloc(3 * KIB_512, "b"));
  const read = readBounded(opened, { maxBytes: KIB_512 });
  expect([read.bytes.byteLength, read.more, read.bytesTotal]).toEqual([KIB_512, true, null]);
});

it("reads a file that grew a little, to its end", () => {
  const opened = file("small");
  appendFileSync(join(tree.root, "f"), Buffer.alloc(10_000, "b"));
  const read = readBounded(opened, { maxBytes: KIB_512 });
  expect([read.bytes.byteLength, read.more, read.bytesTotal]).toEqual([10_005, false, 10_005]);
});

it("does not pad a file that shrank since it was opened", () => {
  const opened = file(Buffer.alloc(5_000, "c"));
  truncateSync(join(tree.root, "f"), 3);
  const read = readBounded(opened, { maxBytes: KIB_512 });
  expect([Buffer.from(read.bytes).toString(), read.more, read.bytesTotal]).toEqual(["ccc", false, 3]);
});

it("takes no more than the limit from a sparse file of 10 GB", () => {
  const opened = file("");
  truncateSync(join(tree.root, "f"), 10 * 2 ** 30);
  opened.close();
  const read = readBounded(workspace.openFile("f"), { maxBytes: KIB_512 });
  expect([read.bytes.byteLength, read.more, read.bytesTotal]).toEqual([KIB_512, true, 10 * 2 ** 30]);
});

it("reads what states no size at all", () => {
  const unguarded = openWorkspace({ root: tree.root, switches: { workerGuard: "off" } });
  const opened = unguarded.openFile("/proc/self/status");
  const read = readBounded(opened, { maxBytes: 100 });
  expect([opened.size, read.bytes.byteLength, read.more, read.bytesTotal]).toEqual([0, 100, true, null]);
  unguarded.close();
});

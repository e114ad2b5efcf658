import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { applyPatchBody } from "../../src/tools/apply-patch/body.ts";
import { parsePatch } from "../../src/tools/apply-patch/parse-patch.ts";
import { ApplyPatchTool } from "../../src/tools/apply-patch/spec.ts";
import { editFileBody } from "../../src/tools/edit-file/body.ts";
import type { EditFileInput } from "../../src/tools/edit-file/spec.ts";
import { unifiedDiff } from "../../src/tools/edit/unified-diff.ts";
import { todoBody } from "../../src/tools/todo/body.ts";
import { writeFileBody } from "../../src/tools/write-file/body.ts";
import { makeToolFolder, type Outcome, type ToolFolder } from "../support/tool-workspace.ts";

const folders: ToolFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderWith(files: Record<string, string | Uint8Array> = {}): ToolFolder {
  const folder = makeToolFolder(files);
  folders.push(folder);
  return folder;
}

const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex");
const at = (folder: ToolFolder, path: string): string => readFileSync(join(folder.root, path), "utf8");

/** Every file and what is in it: what a failed call must leave as it was. */
function snapshot(folder: ToolFolder): Record<string, string> {
  const paths = readdirSync(folder.root, { recursive: true, encoding: "utf8" });
  const files = paths.filter((path) => statSync(join(folder.root, path)).isFile());
  return Object.fromEntries(
    files.toSorted().map((path) => [path, readFileSync(join(folder.root, path), "latin1")]),
  );
}

describe("write_file", () => {
  it("creates a file and the directories above it", async () => {
    const folder = folderWith();
    expect(await folder.run(writeFileBody, { path: "a/b/c.txt", content: "héllo\n" })).toMatchObject({
      ok: true,
      texts: ["Created a/b/c.txt: 7 bytes."],
      data: { path: "a/b/c.txt", created: true, bytes_written: 7, sha256: sha256("héllo\n") },
    });
    expect(at(folder, "a/b/c.txt")).toBe("héllo\n");
  });

  it("replaces a file only when told so, and keeps its permission bits", async () => {
    const folder = folderWith({ f: "old" });
    chmodSync(join(folder.root, "f"), 0o754);
    expect(await folder.run(writeFileBody, { path: "f", content: "new" })).toEqual({
      ok: false,
      errorType: "invalid_input",
      message: "f exists; read it and pass its expected_sha256, or overwrite: true to replace it unseen",
      data: {},
    });
    expect(at(folder, "f")).toBe("old");
    expect(await folder.run(writeFileBody, { path: "f", content: "new", overwrite: true })).toMatchObject({
      texts: ["Replaced f: 3 bytes."],
      data: { created: false },
    });
    expect(at(folder, "f")).toBe("new");
    expect(statSync(join(folder.root, "f")).mode & 0o777).toBe(0o754);
  });

  it("replaces what was read, and refuses when it changed since then", async () => {
    const folder = folderWith({ f: "one" });
    const expected_sha256 = sha256("one");
    expect(await folder.run(writeFileBody, { path: "f", content: "two", expected_sha256 })).toMatchObject({
      ok: true,
    });
    expect(await folder.run(writeFileBody, { path: "f", content: "3", expected_sha256 })).toMatchObject({
      errorType: "invalid_input",
      message: `f changed since it was read: it had sha256 ${expected_sha256} and now has sha256 ${sha256("two")}; read it again`,
      data: { sha256: sha256("two") },
    });
    expect(at(folder, "f")).toBe("two");
    expect(await folder.run(writeFileBody, { path: "gone", content: "3", expected_sha256 })).toMatchObject({
      message: expect.stringContaining("now does not exist"),
    });
    expect(existsSync(join(folder.root, "gone"))).toBe(false);
  });

  it("writes an empty file, and names of full length", async () => {
    const folder = folderWith();
    expect(await folder.run(writeFileBody, { path: "e", content: "" })).toMatchObject({
      texts: ["Created e: 0 bytes."],
    });
    const name = "n".repeat(255);
    expect(await folder.run(writeFileBody, { path: name, content: "x" })).toMatchObject({ ok: true });
    expect(await folder.run(writeFileBody, { path: `${name}n`, content: "x" })).toMatchObject({
      errorType: "invalid_input",
    });
    expect(Object.keys(snapshot(folder))).toEqual(["e", name]);
  });

  it("refuses too much text and text that is none, and leaves nothing behind", async () => {
    const folder = folderWith();
    expect(await folder.run(writeFileBody, { path: "f", content: "x".repeat(524_289) })).toMatchObject({
      errorType: "invalid_input",
      message: "f would have 524,289 bytes, limit 524,288; nothing was written",
    });
    expect(await folder.run(writeFileBody, { path: "f", content: "a\ud83d" })).toMatchObject({
      errorType: "invalid_input",
      message: "content holds half of a surrogate pair, which is not text",
    });
    expect(readdirSync(folder.root)).toEqual([]);
  });
});

const edit = (old_string: string, new_string: string): EditFileInput["edits"][number] => ({
  old_string,
  new_string,
});

function editing(content: string | Uint8Array, edits: EditFileInput["edits"]): Promise<[Outcome, string]> {
  const folder = folderWith({ f: content });
  return folder.run(editFileBody, { path: "f", edits }).then((outcome) => [outcome, at(folder, "f")]);
}

describe("edit_file", () => {
  it("replaces a unique text and returns the change as a diff", async () => {
    const [outcome, text] = await editing("one\ntwo\nthree\n", [edit("two", "2")]);
    expect(text).toBe("one\n2\nthree\n");
    expect(outcome).toMatchObject({
      texts: ["--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"],
      data: { path: "f", edits: 1, bytes_written: 12, sha256: sha256("one\n2\nthree\n"), truncated: false },
    });
  });

  it("makes several edits in order, each on what the one before left", async () => {
    const [, text] = await editing("a b\n", [edit("a", "x"), edit("x b", "y")]);
    expect(text).toBe("y\n");
  });

  it("makes all edits or none", async () => {
    const [outcome, text] = await editing("a b\n", [edit("a", "x"), edit("nowhere", "y")]);
    expect(text).toBe("a b\n");
    expect(outcome).toMatchObject({
      errorType: "invalid_input",
      message:
        "edits[1]: old_string is not in f; it must be there to the letter, blanks included. Read the place again",
    });
  });

  it("refuses a text that is there more than once, and says where", async () => {
    const [outcome, text] = await editing("a\nb\na\nab\n", [edit("a", "x")]);
    expect(text).toBe("a\nb\na\nab\n");
    expect(outcome).toMatchObject({
      errorType: "invalid_input",
      message:
        "edits[0]: old_string is in f 3 times, in lines 1, 3, 4; add text around it or set replace_all",
      data: { places: 3 },
    });
    const [, all] = await editing("a\nb\na\n", [{ ...edit("a", "x"), replace_all: true }]);
    expect(all).toBe("x\nb\nx\n");
  });

  it("takes replacement patterns as plain text", async () => {
    const [, text] = await editing("aXb", [edit("X", "$&$`$'$1$$")]);
    expect(text).toBe("a$&$`$'$1$$b");
  });

  it("touches no byte beside the change", async () => {
    const before = "\ufeffa\r\nb\rc \nX “q” cafe\u0301\nno end";
    const [, text] = await editing(before, [edit("X", "Y")]);
    expect(text).toBe(before.replace("X", "Y"));
  });

  it("finds a newline in a file with CRLF and writes CRLF there", async () => {
    const [, text] = await editing("a\r\nb\r\nc\r\n", [edit("a\nb\n", "x\ny\nz\n")]);
    expect(text).toBe("x\r\ny\r\nz\r\nc\r\n");
  });

  it.each<[string, Uint8Array, string]>([
    [
      "Latin-1",
      Buffer.from("café", "latin1"),
      "f is not valid UTF-8; it can't be edited without damage (write_file replaces it as a whole)",
    ],
    [
      "binary",
      Buffer.from("caf\0"),
      "f is binary; it can't be edited without damage (write_file replaces it as a whole)",
    ],
  ])("refuses a file that is %s", async (_what, content, message) => {
    const folder = folderWith({ f: content });
    expect(await folder.run(editFileBody, { path: "f", edits: [edit("caf", "x")] })).toMatchObject({
      errorType: "invalid_input",
      message,
    });
    expect(readFileSync(join(folder.root, "f"))).toEqual(Buffer.from(content));
  });

  it("refuses an edit that changes nothing, or makes the file too large", async () => {
    const [same] = await editing("a", [edit("a", "a")]);
    expect(same).toMatchObject({ message: "edits[0]: old_string and new_string are the same" });
    const [undo] = await editing("a", [edit("a", "b"), edit("b", "a")]);
    expect(undo).toMatchObject({ message: "the edits together leave f as it is" });
    const [large, text] = await editing("a".repeat(100_000), [
      { ...edit("a", "x".repeat(102_400)), replace_all: true },
    ]);
    expect(large).toMatchObject({
      errorType: "invalid_input",
      message: expect.stringContaining("limit 524,288"),
    });
    expect(text).toHaveLength(100_000);
  });

  it("refuses a file that changed since it was read, or is not there", async () => {
    const folder = folderWith({ f: "now" });
    const edits = [edit("now", "then")];
    expect(
      await folder.run(editFileBody, { path: "f", edits, expected_sha256: sha256("before") }),
    ).toMatchObject({
      errorType: "invalid_input",
      message: expect.stringContaining("changed since it was read"),
    });
    expect(at(folder, "f")).toBe("now");
    expect(await folder.run(editFileBody, { path: "none", edits })).toMatchObject({ errorType: "not_found" });
  });

  it("says so when a diff would say no more than the numbers", () => {
    const before = Array.from({ length: 3000 }, (_, i) => `${i}\n`).join("");
    const after = Array.from({ length: 4000 }, (_, i) => `x${i}\n`).join("");
    expect(unifiedDiff("f", before, after).text).toBe(
      "Replaced the whole text: 3,000 lines before, 4,000 lines now.\n",
    );
  });
});

const PATCH = [
  "diff --git a/a.txt b/a.txt",
  "index 111..222 100644",
  "--- a/a.txt",
  "+++ b/a.txt",
  "@@ -1,3 +1,3 @@",
  " one",
  "-two",
  "+2",
  " three",
  "--- /dev/null",
  "+++ b/new/file.txt\t2026-01-01",
  "@@ -0,0 +1,2 @@",
  "+x",
  "+y",
  "--- a/gone.txt",
  "+++ /dev/null",
  "@@ -1 +0,0 @@",
  "-bye",
  "",
].join("\n");

const PATCHED = { "a.txt": "one\ntwo\nthree\n", "gone.txt": "bye\n" };

describe("apply_patch", () => {
  it("changes, creates and deletes files", async () => {
    const folder = folderWith(PATCHED);
    expect(await folder.run(applyPatchBody, { patch: PATCH })).toMatchObject({
      texts: ["M a.txt (+1 -1)\nA new/file.txt (+2 -0)\nD gone.txt (+0 -1)"],
      data: { files: 3, created: 1, deleted: 1 },
    });
    expect(snapshot(folder)).toEqual({ "a.txt": "one\n2\nthree\n", "new/file.txt": "x\ny\n" });
  });

  it("names its files to the main thread before it runs", () => {
    expect(new ApplyPatchTool().paths({ patch: PATCH })).toEqual([
      { path: "a.txt", access: "write" },
      { path: "new/file.txt", access: "write" },
      { path: "gone.txt", access: "write" },
    ]);
    expect(new ApplyPatchTool().paths({ patch: "no patch" })).toEqual([]);
  });

  it("changes nothing when one file does not fit", async () => {
    const folder = folderWith({ ...PATCHED, "gone.txt": "other\n" });
    const before = snapshot(folder);
    expect(await folder.run(applyPatchBody, { patch: PATCH })).toMatchObject({
      errorType: "invalid_input",
      message:
        "the patch does not fit gone.txt: hunk 1 (@@ -1,1 @@) has context or deleted lines that are not there; read the file again",
    });
    expect(snapshot(folder)).toEqual(before);
  });

  it("puts back what it changed when a write fails half-way", async () => {
    const folder = folderWith(PATCHED);
    mkdirSync(join(folder.root, "new"));
    symlinkSync("elsewhere", join(folder.root, "new/file.txt"));
    const before = at(folder, "a.txt");
    expect(await folder.run(applyPatchBody, { patch: PATCH })).toMatchObject({ ok: false });
    expect(at(folder, "a.txt")).toBe(before);
    expect(at(folder, "gone.txt")).toBe("bye\n");
  });

  it("finds a hunk that has moved, and keeps CRLF and a missing last newline", async () => {
    const folder = folderWith({ f: "new line\r\none\r\ntwo\r\nthree" });
    const patch = "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n\\ No newline at end of file\n";
    expect(await folder.run(applyPatchBody, { patch })).toMatchObject({ ok: true });
    expect(at(folder, "f")).toBe("new line\r\none\r\n2\r\nthree");
  });

  it("fills an empty file, and creates one without a last newline", async () => {
    const folder = folderWith({ f: "" });
    const patch =
      "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n--- /dev/null\n+++ b/g\n@@ -0,0 +1 @@\n+y\n\\ No newline at end of file\n";
    expect(await folder.run(applyPatchBody, { patch })).toMatchObject({ ok: true });
    expect(snapshot(folder)).toEqual({ f: "x\n", g: "y" });
    const wrong = "--- a/e\n+++ b/e\n@@ -1 +1 @@\n-a\n+x\n";
    folder.write({ e: "" });
    expect(await folder.run(applyPatchBody, { patch: wrong })).toMatchObject({
      message:
        "the patch does not fit e: hunk 1 (@@ -1,1 @@) has context or deleted lines that are not there; read the file again",
    });
  });

  it("takes a deleted line that looks like a header for what it is", async () => {
    const folder = folderWith({ f: "-- x\n++ y\nz\n" });
    const patch = "--- f\n+++ f\n@@ -1,3 +1,1 @@\n--- x\n-++ y\n z\n";
    expect(await folder.run(applyPatchBody, { patch })).toMatchObject({ texts: ["M f (+0 -2)"] });
    expect(at(folder, "f")).toBe("z\n");
  });

  it.each([
    ["no patch", 'the patch has no file: it needs "--- a/name" and "+++ b/name" lines'],
    ["--- a/f\n+++ b/f\n", "line 1 of the patch: a file without a hunk"],
    ["@@ -1 +1 @@\n-a\n+b\n", 'line 1 of the patch: a hunk without "---" and "+++" lines before it'],
    [
      "--- a/f\n+++ b/f\n@@ -1,2 +1 @@\n-a\n+b\n",
      "line 3 of the patch: the hunk says 2 old and 1 new lines, and has other numbers of them",
    ],
    ["--- a/f\n+++ b/g\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch: renames are not supported"],
    ["--- /dev/null\n+++ /dev/null\n@@ -1 +1 @@\n-a\n+b\n", "line 1 of the patch: /dev/null on both sides"],
    [
      "diff --git a/f b/g\nrename from f\nrename to g\n",
      'line 2 of the patch: "rename from f" is not supported, only changes of text',
    ],
    [
      "diff --git a/f b/f\nnew file mode 100644\nindex 000..e69\n",
      "line 1 of the patch: a file without a change",
    ],
    [
      "diff --git a/l b/l\nnew file mode 120000\n",
      'line 2 of the patch: "new file mode 120000" is not supported, only changes of text',
    ],
    [
      '--- "a/f\\303"\n+++ "b/f"\n@@ -1 +1 @@\n-a\n+b\n',
      "line 1 of the patch: the file's name is missing or in quotes",
    ],
  ])("refuses %j", async (patch, message) => {
    const folder = folderWith({ f: "a\n" });
    expect(await folder.run(applyPatchBody, { patch })).toMatchObject({
      errorType: "invalid_input",
      message,
    });
    expect(at(folder, "f")).toBe("a\n");
  });

  it("refuses to create what exists, to delete in part, and a file that stands there twice", async () => {
    const folder = folderWith({ f: "a\nb\n" });
    const run = (patch: string): Promise<Outcome> => folder.run(applyPatchBody, { patch });
    expect(await run("--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+x\n")).toMatchObject({
      message: "the patch creates f, which exists",
    });
    expect(await run("--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n")).toMatchObject({
      message: "the patch deletes f but not all of its text",
    });
    const once = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+x\n";
    expect(await run(once + once)).toMatchObject({ message: "f stands in the patch twice" });
    expect(at(folder, "f")).toBe("a\nb\n");
  });

  it("leaves a directory that the patch leads out of alone", async () => {
    const folder = folderWith();
    for (const patch of [
      "--- /dev/null\n+++ b/../out\n@@ -0,0 +1 @@\n+x\n",
      "--- /dev/null\n+++ /tmp/out-of-it\n@@ -0,0 +1 @@\n+x\n",
    ]) {
      expect(await folder.run(applyPatchBody, { patch })).toMatchObject({ errorType: "permission_error" });
    }
  });

  it("undoes its own diffs: any change made as a diff gives the new text", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "b", "-", "+", " ", "@"), maxLength: 4 });
    const text = fc
      .array(line, { maxLength: 12 })
      .map((lines) => lines.map((content) => `${content}\n`).join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        fc.pre(before !== after);
        const folder = makeToolFolder({ f: before });
        try {
          const { text: patch } = unifiedDiff("f", before, after);
          expect(parsePatch(patch)).toHaveLength(1);
          expect(await folder.run(applyPatchBody, { patch })).toMatchObject({ ok: true });
          expect(at(folder, "f")).toBe(after);
        } finally {
          folder.remove();
        }
      }),
      { numRuns: 200 },
    );
  });
});

describe("todo", () => {
  it("echoes the plan with its state", async () => {
    const items = [
      { content: "look\naround", status: "done" as const },
      { content: "change", status: "in_progress" as const },
      { content: "test", status: "pending" as const },
    ];
    expect(await folderWith().run(todoBody, { items })).toMatchObject({
      texts: ["[x] look around\n[>] change\n[ ] test\n3 items: 1 done, 1 in progress, 1 pending."],
      data: { pending: 1, in_progress: 1, done: 1 },
    });
    expect(await folderWith().run(todoBody, { items: [] })).toMatchObject({
      texts: ["0 items: 0 done, 0 in progress, 0 pending."],
    });
  });

  it("refuses two steps at once", async () => {
    const items = ["a", "b"].map((content) => ({ content, status: "in_progress" as const }));
    expect(await folderWith().run(todoBody, { items })).toMatchObject({
      errorType: "invalid_input",
      message: "2 items are in_progress; work on one at a time",
    });
  });
});

it("leaves no temp file whatever happens", async () => {
  const folder = folderWith({ f: "a" });
  writeFileSync(join(folder.root, "g"), "b");
  await folder.run(writeFileBody, { path: "f", content: "x" });
  await folder.run(writeFileBody, { path: "f", content: "x", overwrite: true });
  await folder.run(editFileBody, { path: "g", edits: [edit("b", "c")], expected_sha256: sha256("z") });
  expect(readdirSync(folder.root).toSorted()).toEqual(["f", "g"]);
});

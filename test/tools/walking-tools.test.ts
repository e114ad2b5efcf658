import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { globBody } from "../../src/tools/glob/body.ts";
import { listDirBody } from "../../src/tools/list-dir/body.ts";
import { makeToolFolder, type ToolFolder } from "../support/tool-workspace.ts";

const folders: ToolFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderWith(files: Record<string, string>): ToolFolder {
  const folder = makeToolFolder(files);
  folders.push(folder);
  return folder;
}

const SMALL_TREE = {
  "README.md": "",
  "src/b.ts": "",
  "src/a.ts": "",
  "src/deep/c.ts": "",
  "node_modules/x/index.js": "",
  ".github/ci.yml": "",
  ".gitignore": "node_modules/\n",
};

describe("list_dir", () => {
  it("lists a directory's own entries, sorted, without what git ignores", async () => {
    expect(await folderWith(SMALL_TREE).run(listDirBody, {})).toMatchObject({
      texts: [
        ".github/\n.gitignore\nREADME.md\nsrc/\n",
        "1 ignored entry not shown (gitignore: false shows them).",
      ],
      data: { path: ".", entries: 4, truncated: false, ignored: 1 },
    });
  });

  it("shows levels below as an indented tree", async () => {
    expect(await folderWith(SMALL_TREE).run(listDirBody, { path: "src", depth: 2 })).toMatchObject({
      texts: ["a.ts\nb.ts\ndeep/\n  c.ts\n"],
      data: { path: "src", entries: 4 },
    });
  });

  it("shows symbolic links and special files as such and follows none", async () => {
    const folder = folderWith({ "d/x": "" });
    symlinkSync("/etc", join(folder.root, "out"));
    symlinkSync("..", join(folder.root, "d/up"));
    execFileSync("mkfifo", [join(folder.root, "pipe")]);
    expect(await folder.run(listDirBody, { depth: 5 })).toMatchObject({
      texts: ["d/\n  up -> ..\n  x\nout -> /etc (outside the workspace)\npipe (special file)\n"],
    });
  });

  it("tells where a symbolic link leads, through others too, and asks for nothing outside", async () => {
    const folder = folderWith({ a: "", "d/x": "" });
    const links = {
      "b-in": "a",
      "c-absolute": join(folder.root, "d"),
      "d/up-and-out": "../../outside",
      "e-dangling": "missing",
      "f-dangling-outside": "/no/such/file",
      "g-loop": "g-loop",
      "h-chain": "f-dangling-outside",
      "i-forged\nline": "\u001b[2J\nx",
      "j-device": "/dev/zero",
      "k-magic": "/proc/self/root",
      "l-bytes": Buffer.from("bad\xff", "latin1"),
    };
    for (const [name, target] of Object.entries(links)) symlinkSync(target, join(folder.root, name));
    expect(await folder.run(listDirBody, { depth: 2 })).toMatchObject({
      texts: [
        [
          "a",
          "b-in -> a",
          `c-absolute -> ${folder.root}/d`,
          "d/",
          "  up-and-out -> ../../outside (outside the workspace)",
          "  x",
          "e-dangling -> missing",
          "f-dangling-outside -> /no/such/file (outside the workspace)",
          "g-loop -> g-loop",
          "h-chain -> f-dangling-outside (outside the workspace)",
          '"i-forged\\nline" -> "\\u001b[2J\\nx"',
          "j-device -> /dev/zero (outside the workspace)",
          "k-magic -> /proc/self/root (outside the workspace)",
          "l-bytes -> bad\ufffd",
          "",
        ].join("\n"),
      ],
      data: { entries: 14, truncated: false },
    });
  });

  it("stops at the number of entries and says so", async () => {
    const folder = folderWith(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i + 10}`, ""])));
    expect(await folder.run(listDirBody, { max_entries: 2 })).toMatchObject({
      texts: ["f10\nf11\n[truncated]", "The first 2 entries only: list a subdirectory, or use glob."],
      data: { entries: 2, truncated: true, bytes_total: null, bytes_shown: 8 },
    });
  });

  it("says that a directory is empty, and that a file is none", async () => {
    const folder = folderWith({ f: "" });
    mkdirSync(join(folder.root, "empty"));
    expect(await folder.run(listDirBody, { path: "empty" })).toMatchObject({ texts: ["(no entries)"] });
    expect(await folder.run(listDirBody, { path: "f" })).toMatchObject({
      ok: false,
      errorType: "invalid_input",
    });
    expect(await folder.run(listDirBody, { path: "none" })).toMatchObject({
      ok: false,
      errorType: "not_found",
    });
  });

  it("does not look into .git", async () => {
    const folder = folderWith({ ".git/HEAD": "", a: "" });
    expect(await folder.run(listDirBody, { depth: 3 })).toMatchObject({ texts: [".git/\na\n"] });
  });
});

describe("glob", () => {
  it("finds files by pattern, sorted, relative to the workspace", async () => {
    const folder = folderWith(SMALL_TREE);
    expect(await folder.run(globBody, { pattern: "**/*.ts" })).toMatchObject({
      texts: ["src/a.ts\nsrc/b.ts\nsrc/deep/c.ts\n"],
      data: { matches: 3, truncated: false },
    });
    expect(await folder.run(globBody, { pattern: "*.ts", path: "src" })).toMatchObject({
      texts: ["src/a.ts\nsrc/b.ts\n"],
    });
    expect(await folder.run(globBody, { pattern: "./src/{a,deep/c}.ts" })).toMatchObject({
      texts: ["src/a.ts\nsrc/deep/c.ts\n"],
    });
  });

  it("skips names with a dot unless the pattern or hidden says otherwise", async () => {
    const folder = folderWith(SMALL_TREE);
    expect(await folder.run(globBody, { pattern: "**/*.yml" })).toMatchObject({
      texts: [
        "No file matches **/*.yml. Some entries are ignored by git; gitignore: false looks at them too.",
      ],
    });
    const found = { texts: [".github/ci.yml\n"] };
    expect(await folder.run(globBody, { pattern: ".github/*" })).toMatchObject(found);
    expect(await folder.run(globBody, { pattern: "**/*.yml", hidden: true })).toMatchObject(found);
  });

  it("finds ignored files only when asked", async () => {
    const folder = folderWith(SMALL_TREE);
    const pattern = "**/*.js";
    expect(await folder.run(globBody, { pattern })).toMatchObject({ data: { matches: 0 } });
    expect(await folder.run(globBody, { pattern, gitignore: false })).toMatchObject({
      texts: ["node_modules/x/index.js\n"],
    });
  });

  it("stops at the number of results and says so", async () => {
    const folder = folderWith(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`f${i + 10}`, ""])));
    expect(await folder.run(globBody, { pattern: "*", max_results: 2 })).toMatchObject({
      texts: ["f10\nf11\n[truncated]", expect.stringContaining("The first 2 files only")],
      data: { truncated: true, matches: 2 },
    });
  });

  it("finds links but nothing behind them", async () => {
    const folder = folderWith({ "d/x": "" });
    symlinkSync("/etc", join(folder.root, "out"));
    symlinkSync("..", join(folder.root, "d/up"));
    expect(await folder.run(globBody, { pattern: "**" })).toMatchObject({ texts: ["d/up\nd/x\nout\n"] });
  });

  it("gives one line per file, whatever its name", async () => {
    const folder = folderWith({ "a\nb": "", "a\u001b[31mb": "", 'a"b': "", "a\u202eb": "" });
    expect(await folder.run(globBody, { pattern: "a*" })).toMatchObject({
      texts: ['"a\\nb"\n"a\\u001b[31mb"\n"a\\"b"\n"a\\u202eb"\n'],
      data: { matches: 4 },
    });
  });

  it.each([
    ["../**", "permission_error", "the pattern ../** has a .. segment; write it relative to path"],
    ["a/../../x", "permission_error", "the pattern a/../../x has a .. segment; write it relative to path"],
    ["/etc/*", "permission_error", "the pattern /etc/* is absolute; write it relative to path"],
    ["[a", "invalid_input", "the pattern [a is malformed: a [ without its ]"],
    [
      "{1..100000000}",
      "invalid_input",
      "the pattern {1..100000000} is malformed: {1..100000000}: ranges in braces are not known",
    ],
    ["a\0b", "invalid_input", 'the pattern "a\\u0000b" has control characters'],
  ])("refuses the pattern %j", async (pattern, errorType, message) => {
    expect(await folderWith({}).run(globBody, { pattern })).toMatchObject({ ok: false, errorType, message });
  });

  it("reports more places than evidence allows as a cut, not as a failure", async () => {
    const folder = makeToolFolder();
    folders.push(folder);
    for (let i = 0; i < 1500; i += 1) {
      const directory = join(folder.root, `directory-with-a-long-name-${i}`);
      mkdirSync(directory);
      writeFileSync(join(directory, "x"), "");
    }
    expect(await folder.run(globBody, { pattern: "**/x", max_results: 5000 })).toMatchObject({
      ok: true,
      data: { truncated: true },
      texts: [
        expect.stringMatching(/^directory-with-a-long-name-0\/x\n/),
        expect.stringContaining("ended early"),
      ],
    });
  });

  it("goes 100 levels deep and says when there is more", async () => {
    const folder = folderWith({});
    mkdirSync(join(folder.root, "d/".repeat(150)), { recursive: true });
    writeFileSync(join(folder.root, "d/".repeat(99), "f"), "");
    writeFileSync(join(folder.root, "d/".repeat(149), "f"), "");
    expect(await folder.run(globBody, { pattern: "**/f" })).toMatchObject({
      texts: [`${"d/".repeat(99)}f\n`, "1 directory not looked into: too deep."],
      data: { matches: 1, truncated: true },
    });
  });
});

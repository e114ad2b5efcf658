import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { globBody } from "../../src/tools/glob/body.ts";
import { IgnoreFile } from "../../src/tools/walk/ignore-file.ts";
import { makeToolFolder, type ToolFolder } from "../support/tool-workspace.ts";

/** What git itself takes for not ignored. */
function filesOfGit(root: string): string[] {
  const output = execFileSync("git", ["ls-files", "-o", "--exclude-standard", "-z"], {
    cwd: root,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" },
  });
  return output.split("\0").filter((path) => path !== "");
}

async function filesOfGlob(folder: ToolFolder, path = "."): Promise<string[]> {
  const outcome = await folder.run(globBody, { pattern: "**", path, hidden: true, max_results: 10_000 });
  if (!outcome.ok) throw new Error(outcome.message);
  const [text = ""] = outcome.texts;
  return outcome.data["matches"] === 0 ? [] : text.trimEnd().split("\n");
}

function repository(files: Record<string, string>): ToolFolder {
  const folder = makeToolFolder(files);
  execFileSync("git", ["init", "-q", folder.root], { stdio: "ignore" });
  return folder;
}

const sorted = (paths: string[]): string[] => paths.toSorted();

describe("what .gitignore names is what git leaves out", () => {
  const files = [
    "a.log",
    "b.txt",
    "build/x",
    "src/build/y",
    "src/a.log",
    "src/deep/er/c.txt",
    "keep/a.log",
    "doc/a/b/c.md",
  ];

  it.each([
    ["*.log"],
    ["build"],
    ["build/"],
    ["/build"],
    ["src/build"],
    ["*.log\n!keep/a.log"],
    ["keep/\n!keep/a.log"],
    ["*\n!*/\n!*.txt"],
    ["doc/**/c.md"],
    ["**/er"],
    ["src/**"],
    ["doc/*"],
    ["*.l?g"],
    ["[ab].*"],
    ["[!a]*"],
    ["\\*.log"],
    ["#a\n\\#b"],
    ["a.log  "],
    ["a.log\\ "],
    ["*.log\r\nbuild\r\n"],
    ["**"],
    ["/"],
    ["!"],
    ["[a"],
    ["doc/a/"],
    ["a**.log"],
    ["{a,b}.*"],
  ])("%j", async (text) => {
    const folder = repository({ ...Object.fromEntries(files.map((file) => [file, ""])), ".gitignore": text });
    try {
      expect(sorted(await filesOfGlob(folder))).toEqual(sorted(filesOfGit(folder.root)));
    } finally {
      folder.remove();
    }
  });

  it("also with files in directories below, whose rules weigh more", async () => {
    const folder = repository({
      ".gitignore": "*.log\nbuild/\n/only-here",
      "src/.gitignore": "!a.log\n/top\n!build/",
      "src/a.log": "",
      "src/build/x.txt": "",
      "src/build/b.log": "",
      "src/deep/a.log": "",
      "src/top": "",
      "src/deep/top": "",
      "src/only-here": "",
      "only-here": "",
      "z.log": "",
    });
    try {
      expect(sorted(await filesOfGlob(folder))).toEqual(sorted(filesOfGit(folder.root)));
      expect(await filesOfGlob(folder, "src/deep")).toEqual(["src/deep/a.log", "src/deep/top"]);
    } finally {
      folder.remove();
    }
  });

  it("on generated rules and trees", async () => {
    const name = fc.constantFrom("a", "b", "ab", "a.x", "b.x");
    const path = fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));
    const piece = fc.constantFrom("a", "b", "*", "?", "/", "a.x", "*.x", "[ab]", "**/", "/**", "/**/");
    const rule = fc
      .tuple(
        fc.constantFrom("", "!", "/"),
        fc.array(piece, { minLength: 1, maxLength: 4 }),
        fc.constantFrom("", "/"),
      )
      .map(([start, pieces, end]) => start + pieces.join("") + end)
      // Of a** git itself makes different things, depending on what stands before.
      .filter((text) => !/[^/!]\*\*|\*\*[^/]/.test(text));
    const rules = fc.array(rule, { minLength: 1, maxLength: 4 });
    const tree = fc.uniqueArray(path, { minLength: 3, maxLength: 12 });
    // Many cases in one repository, each in a directory with an ignore file of its own: git is slow to start.
    const cases = fc.array(fc.tuple(rules, tree), { minLength: 30, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(cases, async (directories) => {
        const folder = repository({});
        try {
          for (const [index, [lines, paths]] of directories.entries()) {
            folder.write({ [`case${index}/.gitignore`]: lines.join("\n") });
            for (const file of paths) tryToWrite(join(folder.root, `case${index}`, file));
          }
          expect(sorted(await filesOfGlob(folder))).toEqual(sorted(filesOfGit(folder.root)));
        } finally {
          folder.remove();
        }
      }),
      { numRuns: 5, seed: 20_261_201 },
    );
  });
});

/** A generated path may need a directory where another one has a file. */
function tryToWrite(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, "", { flag: "wx" });
  } catch {
    // The tree is what fits.
  }
}

describe("a hostile ignore file", () => {
  it("beyond the limits is not obeyed at all, and the result says so", async () => {
    const folder = makeToolFolder({ ".gitignore": `${"a\n".repeat(2001)}b.txt`, "b.txt": "" });
    try {
      expect(await folder.run(globBody, { pattern: "*.txt" })).toMatchObject({
        texts: ["b.txt\n", "1 ignore file not obeyed: beyond the limits."],
      });
    } finally {
      folder.remove();
    }
    expect(IgnoreFile.parse("x".repeat(513))).toBeUndefined();
    expect(IgnoreFile.parse("x".repeat(512))).toBeDefined();
  });

  it("takes little time whatever its patterns", () => {
    const rules = IgnoreFile.parse(`${"**/a/".repeat(80)}z\n${"*a".repeat(200)}z\n`);
    const path = `${"a/".repeat(100)}y`;
    const started = process.cpuUsage();
    for (let round = 0; round < 20; round += 1)
      expect(rules?.judge(path, "a".repeat(255), false)).toBeUndefined();
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});

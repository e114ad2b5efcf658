import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { grepBody } from "../../src/tools/grep/body.ts";
import { requiredLiteral } from "../../src/tools/grep/required-literal.ts";
import type { GrepInput } from "../../src/tools/grep/spec.ts";
import { makeToolFolder, type Outcome, type ToolFolder } from "../support/tool-workspace.ts";

const folders: ToolFolder[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

function folderWith(files: Record<string, string | Uint8Array>): ToolFolder {
  const folder = makeToolFolder(files);
  folders.push(folder);
  return folder;
}

function grep(files: Record<string, string | Uint8Array>, input: GrepInput): Promise<Outcome> {
  return folderWith(files).run(grepBody, input);
}

const TREE = {
  "a.ts": "const one = 1;\nfunction two() {}\nconst three = one;\n",
  "src/b.js": "// one\n",
  "src/deep/c.md": "nothing\n",
  "node_modules/x.js": "one\n",
  ".hidden/d.ts": "one\n",
  ".gitignore": "node_modules\n",
};

describe("grep finds", () => {
  it("matching lines with path and number, without ignored and hidden files", async () => {
    expect(await grep(TREE, { pattern: "\\bone\\b" })).toEqual({
      ok: true,
      content: expect.any(Array),
      texts: ["a.ts:1:const one = 1;\na.ts:3:const three = one;\nsrc/b.js:1:// one\n"],
      data: {
        matches: 3,
        files_with_matches: 2,
        files_searched: 3,
        files_searched_partly: 0,
        binary_skipped: 0,
        bytes_total: 66,
        bytes_shown: 66,
        truncated: false,
      },
    });
  });

  it.each<[what: string, input: Partial<GrepInput>, text: string]>([
    ["names of files", { output_mode: "files_with_matches" }, "a.ts\nsrc/b.js\n"],
    ["counts", { output_mode: "count" }, "a.ts:2\nsrc/b.js:1\n"],
    ["one file", { path: "src/b.js" }, "src/b.js:1:// one\n"],
    ["one directory", { path: "src" }, "src/b.js:1:// one\n"],
    ["a type", { type: "ts" }, "a.ts:1:const one = 1;\na.ts:3:const three = one;\n"],
    ["hidden files", { type: "ts", hidden: true, output_mode: "files_with_matches" }, ".hidden/d.ts\na.ts\n"],
    [
      "ignored files",
      { gitignore: false, output_mode: "files_with_matches" },
      "a.ts\nnode_modules/x.js\nsrc/b.js\n",
    ],
    ["a glob for names", { globs: ["*.js"] }, "src/b.js:1:// one\n"],
    ["a glob for paths", { globs: ["src/**"] }, "src/b.js:1:// one\n"],
    ["all but a glob", { globs: ["!*.js"], output_mode: "count" }, "a.ts:2\n"],
    ["all but a directory", { globs: ["!src"], output_mode: "count" }, "a.ts:2\n"],
    ["a glob and not another", { globs: ["*.{js,ts}", "!a.*"], output_mode: "count" }, "src/b.js:1\n"],
    ["at most so many of a file", { max_count: 1 }, "a.ts:1:const one = 1;\nsrc/b.js:1:// one\n"],
  ])("%s", async (_what, input, text) => {
    expect(await grep(TREE, { pattern: "one", ...input })).toMatchObject({ texts: [text] });
  });

  it.each<[what: string, input: GrepInput, lines: number[]]>([
    ["a pattern", { pattern: "b+" }, [1, 3, 6]],
    ["a pattern at a line's start", { pattern: "^b" }, [3, 6]],
    ["a pattern at a line's end", { pattern: "c$" }, [1, 2, 6]],
    ["a whole line", { pattern: "^bc$" }, [6]],
    ["a whole line, by anchors of the text", { pattern: "\\Abc\\z" }, [6]],
    ["an empty line", { pattern: "^$" }, [4]],
    ["plain text", { pattern: "a.c", literal: true }, [2]],
    ["plain text with a capital", { pattern: "ABC", literal: true }, [5]],
    ["any case", { pattern: "abc", case: "insensitive" }, [1, 5]],
    ["any case when there is no capital", { pattern: "abc", case: "smart" }, [1, 5]],
    ["a capital when there is one", { pattern: "ABC", case: "smart" }, [5]],
    ["an inline flag", { pattern: "(?i)abc" }, [1, 5]],
    ["a whole word", { pattern: "b", word: true }, [3]],
    ["alternatives as a word", { pattern: "b|xyz", word: true }, [3]],
    ["nothing across lines", { pattern: "abc\\s+a" }, []],
    ["a class that has the newline", { pattern: "c[^x]a" }, []],
  ])("%s", async (_what, input, lines) => {
    const file = "abc\na.c\nb d\n\nABC\nbc\n";
    for (const text of [file, file.slice(0, -1), file.replaceAll("\n", "\r\n")]) {
      const outcome = await grep({ f: text }, input);
      const found =
        outcome.ok && outcome.data["matches"] !== 0 ? outcome.texts[0]?.trimEnd().split("\n") : [];
      expect((found || []).map((line) => Number(line.split(":")[1]))).toEqual(lines);
    }
  });

  it("lines around a match, each once, with gaps marked", async () => {
    const f = "1\n2\nx\n4\nx\n6\n7\n8\n9\nx\n";
    expect(await grep({ f }, { pattern: "x", context: 1 })).toMatchObject({
      texts: ["f-2-2\nf:3:x\nf-4-4\nf:5:x\nf-6-6\n--\nf-9-9\nf:10:x\n"],
      data: { matches: 3 },
    });
    expect(await grep({ f }, { pattern: "x", before_context: 1, max_count: 1 })).toMatchObject({
      texts: ["f-2-2\nf:3:x\n"],
    });
    expect(await grep({ f: "x\nx\nx\n" }, { pattern: "x", after_context: 1 })).toMatchObject({
      texts: ["f:1:x\nf:2:x\nf:3:x\n"],
    });
  });

  it("text in UTF-16, and text after a byte-order mark", async () => {
    expect(
      await grep(
        { a: Buffer.from("\ufeffeins\nzwei\n", "utf16le"), b: "\ufeffzwei\n" },
        { pattern: "^zwei" },
      ),
    ).toMatchObject({ texts: ["a:2:zwei\nb:1:zwei\n"] });
  });

  it("nothing in binary files, and counts them", async () => {
    expect(await grep({ a: Buffer.from("one\0one"), b: "one\n" }, { pattern: "one" })).toMatchObject({
      texts: ["b:1:one\n", "1 binary file skipped."],
      data: { binary_skipped: 1, files_searched: 1 },
    });
  });

  it("nothing, and says so", async () => {
    expect(await grep({ a: "x\n" }, { pattern: "absent" })).toMatchObject({
      texts: ["Nothing matches absent (1 file searched)."],
      data: { matches: 0, truncated: false, bytes_shown: 0 },
    });
  });

  it("nothing behind links and in special files", async () => {
    const folder = folderWith({ "sub/a": "one\n" });
    writeFileSync(join(folder.root, "..", "outside-of-it"), "one\n");
    symlinkSync("/etc/passwd", join(folder.root, "sub/l"));
    symlinkSync("..", join(folder.root, "sub/up"));
    execFileSync("mkfifo", [join(folder.root, "sub/p")]);
    expect(await folder.run(grepBody, { pattern: "." })).toMatchObject({
      texts: ["sub/a:1:one\n"],
      data: { files_searched: 1 },
    });
  });
});

describe("grep is bounded", () => {
  it("in results", async () => {
    const files = { a: "x\n".repeat(10), b: "x\n" };
    expect(await grep(files, { pattern: "x", max_results: 10 })).toMatchObject({
      texts: [expect.stringMatching(/^(a:\d+:x\n){10}$/), expect.stringContaining("There are more results")],
      data: { matches: 10, truncated: true, bytes_total: null },
    });
    expect(await grep(files, { pattern: "x", max_results: 11 })).toMatchObject({
      data: { truncated: false },
    });
    expect(await grep(files, { pattern: "x", max_results: 3 })).toMatchObject({
      texts: ["a:1:x\na:2:x\na:3:x\n", expect.any(String)],
    });
    expect(await grep(files, { pattern: "x", max_results: 1, output_mode: "count" })).toMatchObject({
      texts: ["a:10\n", expect.any(String)],
      data: { truncated: true },
    });
  });

  it("in bytes", async () => {
    const outcome = await grep({ a: `${"x".repeat(400)}\n`.repeat(400) }, { pattern: "x" });
    expect(outcome).toMatchObject({ data: { truncated: true } });
    expect(outcome.ok && outcome.texts[0]?.endsWith("\n[truncated]")).toBe(true);
    expect(Number(outcome.data["bytes_shown"])).toBeLessThanOrEqual(51_200);
  });

  it("in the length of a line, of which it shows the part with the match", async () => {
    const text = `${"a".repeat(300_000)}needle${"b".repeat(200_000)}`;
    expect(await grep({ f: text }, { pattern: "needle" })).toMatchObject({
      texts: [
        `f:1:[299900 characters] ${"a".repeat(100)}needle${"b".repeat(394)} [199606 more characters]\n`,
      ],
    });
    const emoji = "😀".repeat(1000);
    const outcome = await grep({ f: emoji }, { pattern: "." });
    expect(outcome).toMatchObject({ texts: [`f:1:${"😀".repeat(250)} [1500 more characters]\n`] });
  });

  it("in the part of a file that it searches", async () => {
    const outcome = await grep({ f: `one\n${"x".repeat(8_388_700)}\ntwo\n` }, { pattern: "one|two" });
    expect(outcome).toMatchObject({
      texts: ["f:1:one\n", "1 file searched in the first 8,388,608 bytes only."],
      data: { files_searched_partly: 1 },
    });
  });

  it("in files to report from: a cut, not a failure", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1500 }, (_, i) => [`file-with-a-long-name-${i}`, "x\n"]),
    );
    expect(await grep(files, { pattern: "x", max_results: 2000 })).toMatchObject({
      ok: true,
      data: { truncated: true },
    });
  });

  it.each([
    ["^(a+)+$", `${"a".repeat(40)}b`],
    ["(x+x+)+y", "x".repeat(524_288)],
    ["(.*)*(.*)*(.*)*z", "y".repeat(20_000)],
  ])("in time, with %s", async (pattern, text) => {
    const started = process.cpuUsage();
    expect(await grep({ f: text }, { pattern })).toMatchObject({ data: { matches: 0 } });
    const { user } = process.cpuUsage(started);
    expect(user / 1000).toBeLessThan(5000);
  });
});

describe("grep refuses", () => {
  it.each([
    ["(?=a)", "invalid or unsupported Perl syntax: `(?=`"],
    ["(a)\\1", "invalid escape sequence: `\\1`"],
    ["a(", "missing closing )"],
    ["a{1000000000}", "invalid repeat count"],
    [`${"(".repeat(400)}`, "missing closing )"],
  ])("the pattern %s, in the words of the engine", async (pattern, words) => {
    const outcome = await grep({ f: "" }, { pattern });
    expect(outcome).toMatchObject({ ok: false, errorType: "invalid_input" });
    expect(!outcome.ok && outcome.message).toContain(words);
    expect(!outcome.ok && outcome.message).toContain("the syntax is RE2's");
  });

  it("globs that lead out", async () => {
    expect(await grep({ f: "" }, { pattern: "a", globs: ["../*"] })).toMatchObject({
      errorType: "permission_error",
    });
  });
});

describe("the literal that a pattern needs", () => {
  it.each([
    ["foo", "foo"],
    ["fo+bar", "bar"],
    ["colou?r_name", "r_name"],
    ["\\bfunction\\s+\\w+\\(", "function"],
    ["ab*cd", "cd"],
    ["a{2,3}b", "b"],
    ["x(abcdef)?yz", "yz"],
    ["[abc]de", "de"],
    ["[]x]de[[:alpha:]]f", "de"],
    ["a\\.b\\*c", "a.b*c"],
    ["a|b", ""],
    ["(?i)abc", ""],
    ["\\x41bc", ""],
    ["\\p{Greek}", ""],
    ["\\Qa|b\\E", ""],
  ])("%s: %j", (pattern, literal) => {
    expect(requiredLiteral(pattern)).toBe(literal);
  });

  it("never hides a match", async () => {
    const piece = fc.constantFrom(
      "a",
      "b",
      "c",
      "ab",
      ".",
      "a?",
      "b*",
      "c+",
      "[ab]",
      "(ab)?",
      "\\.",
      "a{0,2}",
      "\\w",
      "^",
      "$",
      "a|b",
    );
    const text = fc.string({ unit: fc.constantFrom("a", "b", "c", ".", "\n"), maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 5 }), text, async (pieces, content) => {
        const folder = makeToolFolder({ f: content });
        try {
          const outcome = await folder.run(grepBody, { pattern: pieces.join("") });
          const lines = content.split("\n");
          if (lines.at(-1) === "") lines.pop();
          const pattern = new RegExp(pieces.join(""));
          expect(outcome.data["matches"]).toBe(lines.filter((line) => pattern.test(line)).length);
        } finally {
          folder.remove();
        }
      }),
      { numRuns: 400 },
    );
  });
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeFile } from "../../src/provider/offline/describe-file.ts";
import { nearNames } from "../../src/provider/offline/near-names.ts";
import { phrasesFor } from "../../src/provider/offline/phrases.ts";
import { outlineOf, summarise } from "../../src/provider/offline/summary.ts";

function view(path: string, text: string): string[] {
  return describeFile({ path, text, phrases: phrasesFor("en"), language: "en" });
}

describe("what the offline provider says of a file", () => {
  it("takes whole sentences that share most with the rest, in their own order", () => {
    const text = [
      "Queue keepers",
      "=============",
      "",
      "The queue keeps ships. Bananas are yellow.",
      "The queue of ships is kept on disk, so that no ship leaves the queue by accident.",
      "",
      "It rained on Tuesday, as it does.",
      "",
      "Each ship in the queue has a number. Ships leave the queue when the harbour has room for ships.",
      "",
      "- a list item without a full stop",
    ].join("\n");
    const outline = outlineOf(text);
    expect(outline.heading).toBe("Queue keepers");
    expect(summarise(outline)).toEqual([
      "The queue keeps ships.",
      "The queue of ships is kept on disk, so that no ship leaves the queue by accident.",
      "Each ship in the queue has a number.",
      "Ships leave the queue when the harbour has room for ships.",
    ]);
  });

  it("skips front matter, code, tables, comments and images", () => {
    const text =
      "---\ntitle: x\n---\n<!-- hidden words here. -->\n# Real\n\n![picture](a.png)\n\n| a | b |\n|---|---|\n\n~~~\nnot prose at all.\n~~~\n\nOnly this [link](http://x) is prose.\n";
    expect(outlineOf(text)).toEqual({
      heading: "Real",
      sections: [],
      paragraphs: ["Only this link is prose."],
    });
  });

  it("tells a TypeScript file's first comment and exports", () => {
    const text =
      'import x from "y";\n\n/**\n * Counts ships.\n * Slowly.\n */\nexport async function count() {}\nexport const MAX = 3;\nexport type Ship = string;\nconst inner = 1;\n';
    expect(view("src/count.ts", text)).toEqual([
      "First comment: Counts ships. Slowly.",
      "Exports: count, MAX, Ship",
    ]);
  });

  it.each([
    [
      "a.py",
      "# Ships.\nimport os\n\nclass Ship:\n    def sail(self): pass\n\ndef main(): pass\n",
      "Declares: Ship, main",
    ],
    [
      "a.go",
      "// Package a.\npackage a\n\nfunc Run() {}\nfunc hidden() {}\ntype Ship struct {}\n",
      "Exports: Run, Ship",
    ],
    ["a.rs", "pub struct Ship;\nfn hidden() {}\npub(crate) async fn sail() {}\n", "Exports: Ship, sail"],
    ["a.cjs", "const a = 1;\nfunction b() {}\n", "Declares: a, b"],
    ["a.sh", "#!/bin/sh\nset -e\nbuild() {\n}\n", "Declares: build"],
  ])("knows the names in %s", (path, text, line) => {
    expect(view(path, text)).toContain(line);
  });

  it("tells the keys of a JSON file and the size of what they hold", () => {
    expect(view("package.json", '\uFEFF{"name":"a","files":["x","y"],"scripts":{"t":"u"}}')).toEqual([
      "name: a",
      "Keys: name, files [2], scripts {1}",
    ]);
    expect(view("a.json", "[1,2,3]")).toEqual(["A list of 3 items."]);
  });

  it("says so when what was read is no whole JSON", () => {
    expect(view("a.json", '{"a": [1,')[0]).toBe("What was read is not valid JSON as a whole; taken as text.");
  });

  it("is bounded and never throws, whatever the file holds", () => {
    const path = fc.constantFrom("a.md", "a.json", "a.ts", "a.py", "a.go", "a.rs", "a.java", "a.sh", "a");
    const piece = fc.constantFrom(
      "# ",
      "```\n",
      "![",
      "](",
      "<!--",
      "-->",
      "<a",
      "/*",
      "*/",
      "\n",
      ". ",
      "。",
      "词语",
      "| ",
      "--- ",
    );
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 2_000 }),
      fc
        .array(fc.oneof(piece, fc.string({ maxLength: 12 })), { maxLength: 200 })
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(path, text, (name, content) => {
        expect(view(name, content).join("\n").length).toBeLessThan(20_000);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gets through hostile text without backtracking for ever", () => {
    const size = 500_000;
    const hostile = ["![", "[x](", "<a ", "a. ", "# #", "export ", "/*", "词", " ", "<!--", "`", "a.b."];
    for (const piece of hostile) {
      const text = piece.repeat(Math.ceil(size / piece.length));
      for (const path of ["a.md", "a.ts", "a.json", "a.java"]) {
        expect(view(path, text).join("\n").length).toBeLessThan(20_000);
      }
    }
  });
});

describe("near names", () => {
  it("suggests what differs by case, suffix or a slip, nearest first", () => {
    const names = ["README.md", "package.json", "LICENSE", "src"];
    expect(nearNames("readme", names)).toEqual(["README.md"]);
    expect(nearNames("REAMDE.md", names)).toEqual(["README.md"]);
    expect(nearNames("licence", names)).toEqual(["LICENSE"]);
    expect(nearNames("zebra.txt", names)).toEqual([]);
  });
});

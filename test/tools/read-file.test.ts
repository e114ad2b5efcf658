import { createHash } from "node:crypto";
import { linkSync, truncateSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { LIMITS } from "../../src/limits.ts";
import { readFileBody } from "../../src/tools/read-file/body.ts";
import type { ReadFileInput } from "../../src/tools/read-file/spec.ts";
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

function read(
  content: string | Uint8Array,
  input: Partial<ReadFileInput> = {},
  name = "f.txt",
): Promise<Outcome> {
  return folderWith({ [name]: content }).run(readFileBody, { path: name, ...input });
}

const sha256 = (content: string): string => createHash("sha256").update(content).digest("hex");
const numbered = (count: number): string =>
  Array.from({ length: count }, (_, i) => `line ${i + 1}\n`).join("");

describe("a small text file", () => {
  it("comes back as it is, in bytes that can be moved, with nothing added", async () => {
    const outcome = await read("# Title\n\nGrüße, 世界 😀\n");
    expect(outcome).toMatchObject({
      ok: true,
      texts: ["# Title\n\nGrüße, 世界 😀\n"],
      data: {
        path: "f.txt",
        bytes_total: 30,
        bytes_shown: 30,
        truncated: false,
        encoding: "utf-8",
        lines_total: 3,
        lines: [[1, 3]],
        sha256: sha256("# Title\n\nGrüße, 世界 😀\n"),
      },
    });
    expect(outcome.ok && outcome.content[0]).toMatchObject({ text: expect.any(Uint8Array) });
    expect(Object.keys(outcome.data)).not.toContain("next_offset");
  });

  it("that is empty is said in words, with no bytes", async () => {
    expect(await read("")).toMatchObject({
      ok: true,
      texts: ["(empty file)"],
      data: { bytes_total: 0, bytes_shown: 0, truncated: false, lines_total: 0 },
    });
  });

  it("keeps CRLF, a last line without end, and control characters", async () => {
    expect(await read("a\r\nb\u0001\rc")).toMatchObject({
      texts: ["a\r\nb\u0001\rc"],
      data: { lines_total: 2 },
    });
  });
});

describe("a file of more than the model is shown", () => {
  it("stops after 2000 lines and says how to go on", async () => {
    const outcome = await read(numbered(2500));
    expect(outcome).toMatchObject({
      ok: true,
      texts: [
        `${numbered(2000)}[truncated]`,
        "Showing lines 1-2,000 of 2,500 (18,893 of 23,893 bytes). Use offset=2001 to continue.",
      ],
      data: {
        truncated: true,
        next_offset: 2001,
        lines_total: 2500,
        bytes_total: 23_893,
        bytes_shown: 18_893,
      },
    });
  });

  it("stops after 50 KB at a line's end", async () => {
    const line = `${"x".repeat(99)}\n`;
    const outcome = await read(line.repeat(1000));
    expect(outcome).toMatchObject({
      texts: [`${line.repeat(512)}[truncated]`, expect.stringContaining("Use offset=513 to continue.")],
      data: { truncated: true, bytes_total: 100_000, bytes_shown: 51_200, next_offset: 513 },
    });
  });

  it("gives all of exactly 524,288 bytes when asked, and cuts one byte more", async () => {
    const all = { max_bytes: 524_288, limit: 1_000_000 };
    const exact = await read("a".repeat(524_288), all);
    expect(exact).toMatchObject({ data: { truncated: false, bytes_shown: 524_288, bytes_total: 524_288 } });
    expect(exact.ok && exact.texts).toEqual(["a".repeat(524_288)]);
    const more = await read("a".repeat(524_289), { max_bytes: 524_288 });
    expect(more).toMatchObject({
      texts: [
        `${"a".repeat(524_288)}\n[truncated]`,
        expect.stringContaining("Use byte_offset=524288 to continue."),
      ],
      data: { truncated: true, bytes_shown: 524_288, bytes_total: 524_289, next_byte_offset: 524_288 },
    });
  });

  it("stays within the limit as JSON too, where a byte may become six, and goes on from there", async () => {
    const folder = folderWith({ f: "\u0001".repeat(524_288) });
    const limits = { max_bytes: 524_288, limit: 1_000_000 };
    let shown = 0;
    for (let from = 0, turn = 0; from < 524_288; turn += 1) {
      const outcome = await folder.run(readFileBody, { path: "f", byte_offset: from, ...limits });
      if (!outcome.ok || turn > 3) throw new Error(JSON.stringify(outcome).slice(0, 200));
      const size = Buffer.byteLength(JSON.stringify(outcome.texts));
      expect(size).toBeLessThanOrEqual(LIMITS.resultMaxBytes);
      shown += Number(outcome.data["bytes_shown"]);
      from = Number(outcome.data["next_byte_offset"] ?? 524_288);
      expect([from, outcome.data["truncated"]]).toEqual([shown, from < 524_288]);
    }
    expect(shown).toBe(524_288);
  });

  it("counts what several ranges show together as JSON", async () => {
    const ranges = Array.from({ length: 20 }, () => ({ offset: 1, limit: 100_000 }));
    const outcome = await read("\u0001\n".repeat(25_000), { max_bytes: 524_288, ranges });
    if (!outcome.ok) throw new Error(outcome.message);
    expect(outcome.data).toMatchObject({ truncated: true });
    const size = Buffer.byteLength(JSON.stringify(outcome.texts));
    expect(size).toBeLessThanOrEqual(LIMITS.resultMaxBytes);
    expect(size).toBeGreaterThan(LIMITS.resultMaxBytes * 0.9);
  });

  it("never reads more than 524,288 bytes, of a sparse 10 GB file too", async () => {
    const folder = folderWith({ big: "x" });
    truncateSync(join(folder.root, "big"), 10 * 1024 ** 3);
    expect(await folder.run(readFileBody, { path: "big" })).toEqual({
      ok: false,
      errorType: "invalid_input",
      message: "big is a binary file of 10,737,418,240 bytes; read_file shows text and images only",
      data: { bytes_total: 10_737_418_240 },
    });
  });

  it("cuts a single long line between characters and goes on by byte_offset", async () => {
    const folder = folderWith({ f: "😀".repeat(50_000) });
    const first = await folder.run(readFileBody, { path: "f", max_bytes: 1001 });
    expect(first).toMatchObject({
      texts: [
        `${"😀".repeat(250)}\n[truncated]`,
        expect.stringContaining("Use byte_offset=1000 to continue."),
      ],
      data: { next_byte_offset: 1000, bytes_shown: 1000 },
    });
    const second = await folder.run(readFileBody, { path: "f", max_bytes: 8, byte_offset: 1000 });
    expect(second).toMatchObject({
      texts: ["😀😀\n[truncated]", expect.stringContaining("byte_offset=1008")],
    });
  });

  it("does not end in the middle of CRLF", async () => {
    expect(await read("abc\r\ndef", { max_bytes: 4 })).toMatchObject({
      texts: ["abc\n[truncated]", expect.any(String)],
    });
  });

  it("is all there when the parts are put together again", async () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "世", "😀", "\n", "\r\n"), maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 4, max: 40 }), async (content, maxBytes) => {
        const folder = makeToolFolder({ f: content });
        try {
          expect(await readAll(folder, maxBytes)).toBe(content);
        } finally {
          folder.remove();
        }
      }),
      { numRuns: 150 },
    );
  });
});

/** Follows what the results say about going on. */
async function readAll(folder: ToolFolder, maxBytes: number): Promise<string> {
  let all = "";
  let at: { offset?: number; byte_offset?: number } = {};
  for (let call = 0; call < 100; call += 1) {
    const outcome = await folder.run(readFileBody, { path: "f", max_bytes: maxBytes, ...at });
    if (!outcome.ok) throw new Error(outcome.message);
    const [text = "", note = ""] = outcome.texts;
    if (outcome.data["bytes_shown"] === 0) return all;
    all += text.slice(
      0,
      Buffer.from(text).subarray(0, Number(outcome.data["bytes_shown"])).toString().length,
    );
    const base = at.byte_offset === undefined ? {} : { byte_offset: at.byte_offset };
    if (/offset=\d/.test(note) === false) return all;
    const next = outcome.data["next_offset"];
    at =
      typeof next === "number"
        ? { ...base, offset: next }
        : { byte_offset: Number(outcome.data["next_byte_offset"]) };
  }
  throw new Error("it never ended");
}

describe("a part of a file", () => {
  it("is the lines asked for, which is not a cut", async () => {
    expect(await read(numbered(100), { offset: 10, limit: 2 })).toMatchObject({
      texts: [
        "line 10\nline 11\n",
        "Showing lines 10-11 of 100 (16 of 792 bytes). Use offset=12 to continue.",
      ],
      data: { truncated: false, next_offset: 12, lines: [[10, 11]] },
    });
  });

  it("ends with the file", async () => {
    expect(await read(numbered(3), { offset: 3, limit: 10 })).toMatchObject({
      texts: ["line 3\n", "Showing lines 3-3 of 3 (7 of 21 bytes)."],
      data: { truncated: false },
    });
  });

  it("beyond the end is an error that says how many lines there are", async () => {
    expect(await read(numbered(3), { offset: 4 })).toEqual({
      ok: false,
      errorType: "invalid_input",
      message: "offset 4 lies beyond the end of f.txt, which has 3 lines",
      data: { lines_total: 3 },
    });
  });

  it("beyond what one call reads is an error that says where to go on", async () => {
    expect(await read("0123456789abcde\n".repeat(40_000), { offset: 40_000 })).toMatchObject({
      ok: false,
      errorType: "invalid_input",
      message:
        "offset 40,000 lies beyond the 524,288 bytes that are read in one call: they hold 32,768 lines of f.txt; use byte_offset=524288 to go on, or grep to find the place",
    });
  });

  it("may be several ranges, each in a block", async () => {
    const ranges = [
      { offset: 2, limit: 1 },
      { offset: 9, limit: 2 },
    ];
    expect(await read(numbered(10), { ranges })).toMatchObject({
      texts: [
        "line 2\n",
        "line 9\nline 10\n",
        "Showing (22 of 71 bytes). Block 1: lines 2-2. Block 2: lines 9-10.",
      ],
      data: {
        lines: [
          [2, 2],
          [9, 10],
        ],
        truncated: false,
      },
    });
  });

  it("is either ranges or offset and limit", async () => {
    expect(await read("a", { ranges: [{ offset: 1, limit: 1 }], offset: 1 })).toMatchObject({
      errorType: "invalid_input",
      message: "give either ranges or offset and limit, not both",
    });
  });

  it("by bytes starts with a whole character", async () => {
    expect(await read("ab😀cd\nef\n", { byte_offset: 3 })).toMatchObject({
      texts: ["cd\nef\n", expect.stringContaining("Lines are counted from byte 3.")],
    });
    expect(await read("abc", { byte_offset: 4 })).toMatchObject({
      message: "byte_offset 4 lies beyond the end of f.txt, which has 3 bytes",
    });
  });
});

describe("a file that is not plain UTF-8", () => {
  const bytes = (...parts: (string | number[])[]): Uint8Array =>
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

  it("with a byte-order mark is shown without it, and that is said", async () => {
    expect(await read(bytes([0xef, 0xbb, 0xbf], "hi\n"))).toMatchObject({
      texts: ["hi\n", "The file is utf-8-bom; it is shown without its byte-order mark."],
      data: { encoding: "utf-8-bom", bytes_total: 6 },
    });
  });

  it("in UTF-16 is decoded, either way round", async () => {
    const le = Buffer.from("\ufeffhé😀\n", "utf16le");
    expect(await read(le)).toMatchObject({ texts: ["hé😀\n", expect.stringContaining("utf-16le")] });
    expect(await read(Buffer.from(le).swap16())).toMatchObject({
      texts: ["hé😀\n", expect.stringContaining("utf-16be")],
    });
  });

  it("in Latin-1 is shown as windows-1252, and that is said", async () => {
    expect(await read(Buffer.from("café\n", "latin1"))).toMatchObject({
      texts: ["café\n", expect.stringContaining("not valid UTF-8")],
      data: { encoding: "windows-1252" },
    });
  });

  it("is refused when it is binary", async () => {
    expect(await read(bytes("ELF", [0, 1, 2]))).toMatchObject({
      errorType: "invalid_input",
      message: "f.txt is a binary file of 6 bytes; read_file shows text and images only",
    });
  });

  it.each([
    ["png", "image/png", bytes([0x89], "PNG\r\n", [0x1a, 0x0a, 0, 1])],
    ["jpeg", "image/jpeg", bytes([0xff, 0xd8, 0xff, 0xe0, 0])],
    ["gif", "image/gif", bytes("GIF89a", [0, 1])],
    ["webp", "image/webp", bytes("RIFF", [4, 0, 0, 0], "WEBP")],
  ])("comes back as an image when it is a %s, whatever its name", async (_kind, media_type, content) => {
    expect(await read(content)).toMatchObject({
      content: [
        {
          type: "image",
          source: { type: "base64", media_type, data: Buffer.from(content).toString("base64") },
        },
      ],
      data: { media_type, bytes_shown: content.length },
    });
  });

  it("is refused as an image over the limit", async () => {
    const big = Buffer.alloc(600_000);
    big.set(bytes([0x89], "PNG\r\n", [0x1a, 0x0a]));
    expect(await read(big)).toMatchObject({
      errorType: "invalid_input",
      message: "f.txt is an image of 600,000 bytes, limit 524,288; ask for a smaller copy",
    });
  });
});

describe("a notebook", () => {
  const notebook = {
    cells: [
      { cell_type: "markdown", source: ["# Title\n", "text"] },
      {
        cell_type: "code",
        source: "print(1)\nplot()",
        outputs: [
          { output_type: "stream", name: "stdout", text: ["1\n"] },
          {
            output_type: "display_data",
            data: { "image/png": "A".repeat(90_000), "text/plain": ["<Figure>"] },
          },
          { output_type: "execute_result", data: { "text/plain": "z".repeat(3000) } },
          { output_type: "error", ename: "ValueError", evalue: "bad" },
        ],
      },
    ],
  };

  it("is shown as cells with short outputs and without pictures", async () => {
    const outcome = await read(JSON.stringify(notebook), {}, "n.ipynb");
    expect(outcome).toMatchObject({
      texts: [
        [
          "## cell 1 (markdown)\n# Title\ntext\n",
          "## cell 2 (code)\nprint(1)\nplot()",
          "--- stdout\n1",
          "--- output\n<Figure>\n[image/png, 90000 characters, not shown]",
          `--- output\n${"z".repeat(2000)}\n[1000 more characters]`,
          "--- error\nValueError: bad\n",
        ].join("\n"),
        "This is a notebook: its cells are shown as text, and lines are counted in that text.",
      ],
    });
  });

  it("that is none is plain text", async () => {
    expect(await read('{"a": 1}\n', {}, "n.ipynb")).toMatchObject({ texts: ['{"a": 1}\n'] });
    expect(await read("not json\n", {}, "n.ipynb")).toMatchObject({ texts: ["not json\n"] });
  });
});

it("reports other names of a file", async () => {
  const folder = folderWith({ f: "x\n" });
  linkSync(join(folder.root, "f"), join(folder.root, "g"));
  expect(await folder.run(readFileBody, { path: "g" })).toMatchObject({
    texts: ["x\n", "The file has 2 hard links: it has other names too."],
    data: { hard_links: 2 },
  });
});

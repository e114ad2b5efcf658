import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { LIMITS } from "../../limits.ts";
import type { ToolResult } from "../../tools/tool-result.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { NEVER } from "../one-call.ts";
import type { Stage } from "../stage.ts";

const MAX = LIMITS.readMaxBytes;
const file = (stage: Stage, name = "f"): string => join(stage.tree.root, name);
const shown = (result: ToolResult): string =>
  result.content.map((block) => (block.type === "text" ? block.text : "")).join("");

/** A file is read with the largest limit there is; what comes back must be plain text within it, and say when it is cut. */
function reading(
  id: string,
  title: string,
  content: string | Uint8Array,
  check: (result: ToolResult, stage: Stage) => void,
): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      writeFileSync(file(stage), content);
      const result = await stage.call("read_file", { path: "f", max_bytes: MAX, limit: 1_000_000 });
      const text = shown(result);
      stage.holds(text.isWellFormed(), "the text holds half of a surrogate pair");
      stage.holds(Buffer.byteLength(text) <= LIMITS.resultMaxBytes, "the text is over the limit of a result");
      stage.holds(
        Buffer.byteLength(JSON.stringify(result.content)) <= 2 * LIMITS.resultMaxBytes,
        "as JSON it is over twice the limit",
      );
      check(result, stage);
    },
  };
}

/** An edit of one place; every other byte stays as it was. */
function editing(id: string, title: string, before: string | Buffer, replacement: string): CaseRow {
  return {
    id,
    title,
    claim: "integrity",
    run: async (stage) => {
      writeFileSync(file(stage), before);
      const edits = [{ old_string: "X", new_string: replacement }];
      const result = await stage.call("edit_file", { path: "f", edits });
      const now = readFileSync(file(stage));
      const wanted = Buffer.from(
        Buffer.from(before)
          .toString("latin1")
          .replace("X", () => Buffer.from(replacement).toString("latin1")),
        "latin1",
      );
      if (result.isError) stage.holds(now.equals(Buffer.from(before)), "a failed edit changed the file");
      else
        stage.holds(
          now.equals(wanted),
          `the file holds ${JSON.stringify(now.toString("latin1").slice(0, 80))}`,
        );
    },
  };
}

const whole =
  (length: number) =>
  (result: ToolResult, stage: Stage): void => {
    if (result.isError) return;
    stage.holds(
      result.truncated || shown(result).length === length,
      `${shown(result).length} of ${length} letters, and not said to be cut`,
    );
  };

export const SIZE_CONTENT_CASES: readonly ProbeCase[] = family(
  "size-content",
  { claim: "honesty", layers: [] },
  [
    reading("SZ-001", "is just as large as may be read", "a".repeat(MAX), whole(MAX)),
    reading("SZ-002", "is one byte below the limit", "a".repeat(MAX - 1), whole(MAX - 1)),
    reading("SZ-002b", "is one byte over the limit", "a".repeat(MAX + 1), whole(MAX + 1)),
    reading("SZ-004", "has a letter of four bytes at the limit", `${"a".repeat(MAX - 2)}😀b`, whole(MAX + 1)),
    reading(
      "SZ-004b",
      "has a line end of two bytes at the limit",
      `${"a".repeat(MAX - 1)}\r\nb`,
      whole(MAX + 2),
    ),
    reading("SZ-005", "is six times as large as JSON", "\u0001".repeat(MAX), whole(MAX)),
    reading("SZ-006", "has 500,000 line ends", "\n".repeat(500_000), () => {}),
    reading("SZ-010", "is UTF-16", Buffer.from("\ufeffabc", "utf16le"), () => {}),
    reading("SZ-010b", "is no text", Buffer.from([0, 255, 254, 1, 2, 3, 200, 201]), (result, stage) =>
      stage.expects(result, ["invalid_input"]),
    ),
    reading("SZ-010c", "is Latin-1", Buffer.from("caf\u00e9 cr\u00e8me", "latin1"), () => {}),
    reading(
      "SZ-010d",
      "says that it is an image and is none",
      Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.alloc(50)]),
      () => {},
    ),
    reading(
      "SZ-016",
      "is an SVG with a script",
      "<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
      (result, stage) =>
        stage.holds(
          result.content.every(({ type }) => type === "text"),
          "it was shown as an image",
        ),
    ),
    editing(
      "SZ-011",
      "has line ends of three kinds, a BOM and no end",
      "\ufeffa\r\nX\rb \nc\u201cd\u0301",
      "Y",
    ),
    editing("SZ-012", "is edited with the marks of a replacement", "aXb", "$&$`$'$1$$"),
    editing("SZ-013", "is edited and is not UTF-8", Buffer.from("\xff\xfeXb", "latin1"), "Y"),
    {
      id: "SZ-007",
      title: "grows while it is read",
      run: async (stage) => {
        const { appendFileSync } = await import("node:fs");
        writeFileSync(file(stage), "a".repeat(1_000));
        const timer = setInterval(() => appendFileSync(file(stage), "b".repeat(200_000)), 1);
        stage.after(() => clearInterval(timer));
        for (let turn = 0; turn < 8; turn++) {
          const result = await stage.call("read_file", { path: "f", max_bytes: MAX });
          stage.holds(shown(result).length <= MAX + 500, `${shown(result).length} letters came back`);
        }
      },
    },
    {
      id: "SZ-008",
      title: "shrinks while it is read",
      run: async (stage) => {
        const timer = setInterval(
          () => writeFileSync(file(stage), "a".repeat(Math.random() < 0.5 ? 0 : 400_000)),
          1,
        );
        stage.after(() => clearInterval(timer));
        writeFileSync(file(stage), "");
        for (let turn = 0; turn < 12; turn++) {
          const result = await stage.call("read_file", { path: "f", max_bytes: MAX });
          stage.holds(!shown(result).includes("\0"), "bytes were shown that the file never had");
        }
      },
    },
    {
      id: "SZ-014",
      title: "multiplies its size by one edit",
      claim: "availability",
      run: async (stage) => {
        writeFileSync(file(stage), "a".repeat(100_000));
        const edits = [{ old_string: "a", new_string: "b".repeat(100_000), replace_all: true }];
        const result = await stage.call("edit_file", { path: "f", edits }, { timeoutMs: 3_000 });
        stage.expects(result, ["invalid_input", "output_limit", "memory_limit"]);
        stage.holds(readFileSync(file(stage), "utf8") === "a".repeat(100_000), "the file was changed");
      },
    },
    {
      id: "SZ-015",
      title: "is written over the limit of an input",
      claim: "availability",
      run: async (stage) => {
        const result = await stage.call("write_file", {
          path: "f",
          content: "x".repeat(LIMITS.inputMaxBytes + 1),
        });
        stage.expects(result, [...NEVER, "output_limit"]);
      },
    },
    {
      id: "SZ-017",
      title: "is one line of 512 KiB with matches all over",
      claim: "availability",
      run: async (stage) => {
        writeFileSync(file(stage), "ab".repeat(MAX / 2));
        const result = await stage.call("grep", { pattern: "a" }, { timeoutMs: 1_500 });
        stage.expects(result, ["ok"]);
        stage.holds(shown(result).length < 60_000, `${shown(result).length} letters came back`);
      },
    },
    {
      id: "SZ-018",
      title: "has a mode of its own when it is edited",
      claim: "integrity",
      run: async (stage) => {
        writeFileSync(file(stage), "aXb");
        for (const mode of [0o600, 0o755, 0o4755]) {
          chmodSync(file(stage), mode);
          await stage.call("edit_file", { path: "f", edits: [{ old_string: "X", new_string: "XX" }] }, {});
          const now = statSync(file(stage)).mode & 0o7777;
          stage.holds(
            (now & 0o777) === (mode & 0o777) && (now & ~mode) === 0,
            `mode ${mode.toString(8)} became ${now.toString(8)}`,
          );
          writeFileSync(file(stage), "aXb");
        }
      },
    },
  ],
);

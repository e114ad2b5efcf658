import fc from "fast-check";
import { expect, test } from "vitest";
import { terminalLine, terminalText, TerminalTextStream } from "../../src/events/terminal-text.ts";

test("makes escape sequences, C1 controls, bidi marks and invisible tags visible", () => {
  expect(terminalText("\u001b[31mred\u001b[0m \u009b2J \u001b]0;title\u0007")).toBe(
    "\\x1b[31mred\\x1b[0m \\x9b2J \\x1b]0;title\\x07",
  );
  expect(terminalText("a\u202eb\u2066c\u200fd\u2028e\ufefff")).toBe(
    "a\\u202eb\\u2066c\\u200fd\\u2028e\\ufefff",
  );
  expect(terminalText("\u{e0041}")).toBe("\\u{e0041}");
});

test("keeps text as it is: tabs, line feeds, other scripts, joined emoji", () => {
  const text = "тест 读取\t👩‍👩‍👧\nnext";
  expect(terminalText(text)).toBe(text);
});

test("a lone carriage return cannot overwrite a line; a Windows line end is a line end", () => {
  expect(terminalText("safe\rfake")).toBe("safe\\x0dfake");
  expect(terminalText("a\r\nb")).toBe("a\nb");
});

test("puts everything on one line", () => {
  expect(terminalLine("a\n\tb")).toBe("a\\n\\tb");
});

const PIECES = fc.array(
  fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("\r", "\n", "\r\n", "\u001b", "[31m", "\u009b", "\ud83d", "\udc69", "\u202e"),
  ),
);

test("text in pieces comes out as the whole text would, however it is cut", () => {
  fc.assert(
    fc.property(PIECES, (pieces) => {
      const stream = new TerminalTextStream();
      const shown = pieces.map((piece) => stream.push(piece)).join("") + stream.flush();
      expect(shown).toBe(terminalText(pieces.join("")));
    }),
    { numRuns: 2000 },
  );
});

test("nothing that controls a terminal comes out, whatever goes in", () => {
  fc.assert(
    fc.property(PIECES, (pieces) => {
      expect(terminalText(pieces.join(""))).not.toMatch(
        /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/,
      );
    }),
    { numRuns: 2000 },
  );
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cutText } from "../../src/sandbox/guard/truncate.ts";

function cut(text: string, maxBytes: number, maxLines: number): unknown {
  const { bytes, ...rest } = cutText(Buffer.from(text), { maxBytes, maxLines });
  return { text: Buffer.from(bytes).toString(), ...rest };
}

describe("cutText", () => {
  it("shows a text that fits, whole", () => {
    expect(cut("a\nb", 3, 2)).toEqual({ text: "a\nb", bytesShown: 3, linesShown: 2, truncated: false });
    expect(cut("", 10, 10)).toEqual({ text: "", bytesShown: 0, linesShown: 0, truncated: false });
    expect(cut("a\n", 2, 1)).toEqual({ text: "a\n", bytesShown: 2, linesShown: 1, truncated: false });
  });

  it("cuts after whole lines, by lines or by bytes, whichever comes first", () => {
    const next = { byte: 2, line: 1 };
    expect(cut("a\nb\nc", 9, 1)).toEqual({
      text: "a\n",
      bytesShown: 2,
      linesShown: 1,
      truncated: true,
      next,
    });
    expect(cut("a\nbcd\n", 4, 9)).toEqual({
      text: "a\n",
      bytesShown: 2,
      linesShown: 1,
      truncated: true,
      next,
    });
  });

  it("cuts a line that is too long between characters, and says the byte to go on from", () => {
    expect(cut("a😀b", 4, 9)).toEqual({
      text: "a",
      bytesShown: 1,
      linesShown: 1,
      truncated: true,
      next: { byte: 1 },
    });
    expect(cut("ab\r\n", 3, 9)).toMatchObject({ text: "ab", next: { byte: 2 } });
  });

  it("shows one character even when it is larger than the limit", () => {
    expect(cut("😀b", 2, 9)).toMatchObject({ text: "😀", bytesShown: 4, next: { byte: 4 } });
  });

  it("never splits a character, never exceeds a limit that one character fits in, and loses nothing", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\r\n", "\r"), maxLength: 60 });
    fc.assert(
      fc.property(
        text,
        fc.integer({ min: 4, max: 60 }),
        fc.integer({ min: 1, max: 9 }),
        (whole, maxBytes, maxLines) => {
          let rest = Buffer.from(whole);
          let joined = "";
          while (rest.length > 0) {
            const part = cutText(rest, { maxBytes, maxLines });
            const shown = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(part.bytes);
            expect(part.bytesShown).toBe(part.bytes.byteLength);
            expect(part.bytesShown).toBeGreaterThan(0);
            expect(part.bytesShown).toBeLessThanOrEqual(maxBytes);
            expect(part.linesShown).toBeLessThanOrEqual(maxLines);
            expect(part.linesShown).toBe(shown.split("\n").length - (shown.endsWith("\n") ? 1 : 0));
            expect(part.truncated).toBe(part.next !== undefined);
            if (part.next?.line !== undefined) expect(shown.endsWith("\n")).toBe(true);
            joined += shown;
            rest = rest.subarray(part.next?.byte ?? rest.length);
            if (shown.endsWith("\r")) expect(rest[0]).not.toBe(0x0a);
          }
          expect(joined).toBe(whole);
        },
      ),
      { numRuns: 2_000, seed: 11 },
    );
  });

  it("goes on through bytes that are no text", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 0, max: 10 }), (bytes, maxBytes) => {
        let rest = bytes;
        for (let turns = 0; rest.length > 0; turns++) {
          expect(turns).toBeLessThan(100);
          rest = rest.subarray(cutText(rest, { maxBytes, maxLines: 3 }).bytesShown);
        }
      }),
      { numRuns: 1_000, seed: 11 },
    );
  });
});

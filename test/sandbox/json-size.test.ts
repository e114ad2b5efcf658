import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bytesThatFitAsJson, fitsAsJson, jsonSize } from "../../src/sandbox/json-size.ts";

const asJson = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;
const texts = fc.array(
  fc.string({ unit: "binary" }).map((text) => text.toWellFormed()),
  { maxLength: 5 },
);

describe("the size of texts as JSON", () => {
  it("is what JSON.stringify makes of them", () => {
    fc.assert(
      fc.property(texts, (given) => {
        for (const text of given) expect(jsonSize(Buffer.from(text))).toBe(asJson(text));
      }),
    );
    const all = String.fromCharCode(...Array.from({ length: 0xd800 }, (_, unit) => unit));
    expect(jsonSize(Buffer.from(all))).toBe(asJson(all));
  });

  it("is the same wherever in memory they lie and however short they are", () => {
    const text = 'a"\\\n\u0001z\t "0\u001fé';
    const memory = Buffer.alloc(64);
    for (let offset = 0; offset < 8; offset += 1) {
      for (let length = 0; length <= text.length; length += 1) {
        const part = text.slice(0, length);
        const bytes = memory.subarray(offset, offset + memory.write(part, offset));
        expect(jsonSize(bytes)).toBe(asJson(part));
      }
    }
  });

  it("fits up to the limit and not one byte beyond, together with what is there besides", () => {
    fc.assert(
      fc.property(texts, fc.nat(50), (given, besides) => {
        const size = given.reduce((sum, text) => sum + asJson(text), besides);
        expect([fitsAsJson(size, given, besides), fitsAsJson(size - 1, given, besides)]).toEqual([
          true,
          false,
        ]);
      }),
    );
  });

  it("is what a part is cut to", () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 0x7f }), fc.nat(20), fc.nat(200), (bytes, start, limit) => {
        const from = Math.min(start, bytes.length);
        const count = bytesThatFitAsJson(bytes, from, limit);
        expect(jsonSize(bytes.subarray(from, from + count))).toBeLessThanOrEqual(limit);
        if (from + count < bytes.length)
          expect(jsonSize(bytes.subarray(from, from + count + 1))).toBeGreaterThan(limit);
      }),
    );
  });
});

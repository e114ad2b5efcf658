import fc from "fast-check";
import { expect, test } from "vitest";
import { NotPlain, toPlainJson } from "../../workers/plain-json.ts";

const LIMITS = { nodes: 1_000, depth: 10, chars: 10_000 };

test("plain JSON comes out as it went in", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), (value) => {
      expect(JSON.parse(JSON.stringify(toPlainJson(value, LIMITS)))).toEqual(
        JSON.parse(JSON.stringify(value)),
      );
    }),
  );
});

test("whatever goes in, what comes out is JSON within the limits, or it is refused", () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    withUnicodeString: true,
  } as fc.ObjectConstraints);
  fc.assert(
    fc.property(anything, (value) => {
      try {
        const plain = toPlainJson(value, LIMITS);
        const text = JSON.stringify(plain);
        expect(text.isWellFormed()).toBe(true);
        expect(JSON.stringify(toPlainJson(JSON.parse(text), LIMITS))).toBe(text);
      } catch (error) {
        expect(error).toBeInstanceOf(NotPlain);
      }
    }),
  );
});

test.each([
  [
    "functions, symbols and undefined are left out",
    { a: () => 1, b: Symbol("b"), c: undefined, d: 1 },
    { d: 1 },
  ],
  ["in an array they leave a gap of null", [() => 1, undefined], [null, null]],
  [
    "a key named __proto__ is a key",
    JSON.parse('{"__proto__":{"x":1}}'),
    JSON.parse('{"__proto__":{"x":1}}'),
  ],
  ["toJSON is not called", { toJSON: () => "forged", a: 1 }, { a: 1 }],
  ["numbers that JSON lacks are null", [Number.NaN, Number.POSITIVE_INFINITY], [null, null]],
  ["big integers are text", 10n ** 20n, "100000000000000000000"],
  ["lone surrogates are mended", { "a\ud800": "\udfff" }, { "a\ufffd": "\ufffd" }],
])("%s", (_, value, plain) => {
  expect(JSON.stringify(toPlainJson(value, LIMITS))).toBe(JSON.stringify(plain));
});

test.each([
  ["nested more than 10 levels deep", nested(12)],
  ["more than 1000 values", Array.from({ length: 1_001 }, () => 0)],
  ["more than 1000 values", Object.assign([], { length: 4_000_000_000 })],
  ["more than 10000 characters", "x".repeat(10_001)],
  ["more than 10000 characters", { ["k".repeat(10_001)]: 1 }],
])("%s is refused", (message, value) => {
  expect(() => toPlainJson(value, LIMITS)).toThrow(new NotPlain(message));
});

test("a getter is read once, and what it throws comes out", () => {
  let reads = 0;
  const value = {
    get once() {
      return ++reads;
    },
  };
  expect(JSON.stringify(toPlainJson(value, LIMITS))).toBe('{"once":1}');
  const throwing = {
    get never() {
      throw new RangeError("no");
    },
  };
  expect(() => toPlainJson(throwing, LIMITS)).toThrow(new RangeError("no"));
});

function nested(depth: number): unknown {
  let value: unknown = 0;
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

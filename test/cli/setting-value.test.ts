import fc from "fast-check";
import { expect, test } from "vitest";
import { splitList, valueFromJson, valueFromText } from "../../src/cli/setting-value.ts";

test.each([
  ["500ms", 500],
  ["10s", 10_000],
  ["1.5s", 1500],
  ["15m", 900_000],
  ["1h30m", 5_400_000],
  ["24h", 86_400_000],
  ["25h", undefined],
  ["0s", undefined],
  ["10", undefined],
  ["", undefined],
  ["10 s", undefined],
  ["-1s", undefined],
  ["1e3s", undefined],
])("duration %s is %s ms", (text, ms) => {
  expect(valueFromText({ type: "duration" }, text)).toBe(ms);
});

test.each([
  ["1", 1],
  ["50", 50],
  ["0", undefined],
  ["-1", undefined],
  ["1.5", undefined],
  ["1e3", undefined],
  ["99999999999999999999", undefined],
  ["x", undefined],
])("count %s is %s", (text, count) => {
  expect(valueFromText({ type: "count" }, text)).toBe(count);
});

test("switches, choices and lists", () => {
  expect(["1", "true", "YES", "on"].map((text) => valueFromText({ type: "flag" }, text))).toEqual(
    Array(4).fill(true),
  );
  expect(["0", "false", "no", "off"].map((text) => valueFromText({ type: "flag" }, text))).toEqual(
    Array(4).fill(false),
  );
  expect(valueFromText({ type: "flag" }, "maybe")).toBeUndefined();
  expect(valueFromText({ type: "choice", of: ["a"] }, "b")).toBeUndefined();
  expect(valueFromText({ type: "choice", of: ["off"], orCount: true }, "2048")).toBe(2048);
  expect(valueFromText({ type: "list", of: ["denied"] }, "denied,other")).toBeUndefined();
  expect(valueFromText({ type: "list" }, "")).toEqual([]);
});

test("a list is split at commas outside parentheses", () => {
  expect(splitList("read_file, grep ,shell(git diff:*, x),")).toEqual([
    "read_file",
    "grep",
    "shell(git diff:*, x)",
  ]);
});

test("JSON gives the right types only", () => {
  expect(valueFromJson({ type: "count" }, "5")).toBeUndefined();
  expect(valueFromJson({ type: "count" }, 5)).toBe(5);
  expect(valueFromJson({ type: "flag" }, "true")).toBeUndefined();
  expect(valueFromJson({ type: "list" }, ["a", 1])).toBeUndefined();
  expect(valueFromJson({ type: "list" }, "a,b")).toEqual(["a", "b"]);
  expect(valueFromJson({ type: "text" }, null)).toBeUndefined();
  expect(valueFromJson({ type: "choice", of: ["off"], orCount: true }, 2048)).toBe(2048);
});

test("no text whatever makes it throw", () => {
  const kinds = [{ type: "duration" }, { type: "count" }, { type: "flag" }, { type: "list" }] as const;
  fc.assert(
    fc.property(fc.constantFrom(...kinds), fc.string(), (kind, text) => {
      valueFromText(kind, text);
    }),
  );
});

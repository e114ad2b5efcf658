import fc from "fast-check";
import { expect, test } from "vitest";
import { globMatcher } from "../../src/policy/glob-matcher.ts";

test.each([
  ["src/**", "src/a.ts", true],
  ["src/**", "src/a/b.ts", true],
  ["src/**", "srcx/a.ts", false],
  ["src/**/x.ts", "src/x.ts", true],
  ["src/**/x.ts", "src/a/b/x.ts", true],
  ["src/**/x.ts", "src/ax.ts", false],
  ["**/x.ts", "x.ts", true],
  ["*.ts", "a.ts", true],
  ["*.ts", "a/b.ts", false],
  ["a?c", "abc", true],
  ["a?c", "a/c", false],
  ["a.c", "abc", false],
  ["файл*", "файл.txt", true],
])("%s against %s: %s", (glob, text, matches) => {
  expect(globMatcher(glob)(text)).toBe(matches);
});

test("agrees with the same glob written as a regular expression", () => {
  const part = fc.constantFrom("a", "b", "/", "*", "**", "**/", "?");
  const glob = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  const text = fc.array(fc.constantFrom("a", "b", "/"), { maxLength: 8 }).map((chars) => chars.join(""));
  fc.assert(
    fc.property(glob, text, (pattern, subject) => {
      const source = (pattern.match(/\*\*+\/|\*+|[^*]/gs) ?? []).map((token) => {
        if (token.startsWith("**")) return token.endsWith("/") ? "(?:.*/|(?<=/|^))" : ".*";
        return token === "*" ? "[^/]*" : token === "?" ? "[^/]" : token;
      });
      expect(globMatcher(pattern)(subject)).toBe(new RegExp(`^${source.join("")}$`, "s").test(subject));
    }),
    { numRuns: 20_000 },
  );
});

test("two hundred stars on four thousand characters are no work", () => {
  const started = performance.now();
  expect(globMatcher("*a".repeat(200))("a".repeat(4000) + "b")).toBe(false);
  expect(performance.now() - started).toBeLessThan(5000);
});

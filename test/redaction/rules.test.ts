import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/redaction/redactor.ts";
import { REDACTION_RULES } from "../../src/redaction/rules.ts";
import { markerOf } from "../../src/redaction/pattern.ts";

const redactor = new Redactor();

describe("the rules for the forms of keys", () => {
  it("are at least 25 kinds, each with examples of what it takes and what it leaves", () => {
    expect(new Set(REDACTION_RULES.map(({ pattern }) => pattern.rule)).size).toBeGreaterThanOrEqual(25);
    for (const { match, notMatch } of REDACTION_RULES) {
      expect(match.length).toBeGreaterThan(0);
      expect(notMatch.length).toBeGreaterThan(0);
    }
  });

  it.each(REDACTION_RULES.map((rule) => [rule.pattern.rule, rule.pattern.starts[0], rule] as const))(
    "%s (%s) takes its examples and nothing around them",
    (_name, _start, { pattern, match, notMatch }) => {
      for (const secret of match) {
        for (const [before, after] of [
          ["", ""],
          ['{"key":"', '"}'],
          ["export KEY=", "\n"],
          ["see: ", " and more"],
        ] as const) {
          const shown = redactor.text(before + secret + after);
          expect(shown).not.toContain(secret);
          expect(shown).toContain(markerOf(pattern.rule));
          expect(shown.startsWith(before) && shown.endsWith(after)).toBe(true);
        }
      }
      for (const text of notMatch) expect(redactor.text(text)).toBe(text);
    },
  );

  it("leave their own markers alone", () => {
    for (const { pattern } of REDACTION_RULES) {
      expect(redactor.text(`x ${pattern.marker} y`)).toBe(`x ${pattern.marker} y`);
    }
  });

  it("take a key out of JSON, with its line breaks escaped, and leave the rest", () => {
    const key = REDACTION_RULES.find(({ pattern }) => pattern.rule === "private-key")?.match[0] ?? "";
    expect(redactor.text(JSON.stringify({ key, next: "value" }))).toBe(
      '{"key":"[redacted:private-key]","next":"value"}',
    );
  });

  it("take a key that breaks off", () => {
    const key = REDACTION_RULES.find(({ pattern }) => pattern.rule === "private-key")?.match[0] ?? "";
    expect(redactor.text(`a ${key.slice(0, 90)}`)).toBe("a [redacted:private-key]");
  });
});

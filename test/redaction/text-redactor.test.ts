import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Redactor } from "../../src/redaction/redactor.ts";
import { REDACTION_RULES } from "../../src/redaction/rules.ts";

const SECRETS = [
  { name: "DB_PASSWORD", value: "hunter2-hunter2" },
  { name: "DB_PASSWORD_LONG", value: "hunter2-hunter2-and-more" },
  { name: "ODD_TOKEN", value: 'a"b\\c d/é😀 z' },
];
const redactor = new Redactor({ secrets: SECRETS });
const known = [...REDACTION_RULES.flatMap(({ match }) => match), ...SECRETS.map(({ value }) => value)];

/** Text in which keys, beginnings of keys and ordinary words stand close together. */
const piece = fc.oneof(
  fc.constantFrom(...known),
  fc.constantFrom(...known).chain((key) => fc.nat(key.length).map((end) => key.slice(0, end))),
  fc.constantFrom(" ", "\n", "=", '"', "://", "-----BEGIN ", "Bearer ", "sk-", "hunter2-", "word", "."),
  fc.string({ unit: "binary", maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

function streamed(whole: string, cuts: readonly number[]): string[] {
  const stream = redactor.stream();
  const ends = [...new Set(cuts.map((cut) => cut % (whole.length + 1)))].toSorted((a, b) => a - b);
  const out = [...ends, whole.length].map((end, at) => stream.push(whole.slice(ends[at - 1] ?? 0, end)));
  return [...out, stream.flush()];
}

describe("a text in pieces", () => {
  it("comes out as it would in one, wherever it is cut", () => {
    let texts = 0;
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 8 }), (whole, cuts) => {
        texts += 1;
        expect(streamed(whole, cuts).join("")).toBe(redactor.text(whole));
        expect(streamed(whole, oneByOne(whole)).join("")).toBe(redactor.text(whole));
      }),
      { numRuns: 3_000 },
    );
    console.log(`texts cut up and compared with the whole: ${texts}`);
  });

  it("shows no secret that stands between other words", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...known),
        fc.constantFrom("", " ", "\n", "key=", '"'),
        fc.array(fc.nat(), { maxLength: 6 }),
        (secret, before, cuts) => {
          expect(streamed(`${before}${secret} end`, cuts).join("")).not.toContain(secret);
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it("is not held up when it is ordinary, but for the letters that may begin a secret", () => {
    const stream = redactor.stream();
    const prose = "The quick brown fox jumps over the lazy dog; 42 files, https://example.com/a?b=c and (x).";
    let shown = 0;
    let heldMost = 0;
    for (const [at, char] of [...prose].entries()) {
      shown += stream.push(char).length;
      heldMost = Math.max(heldMost, at + 1 - shown);
    }
    // The host of a URL is held until a slash shows that no password stands in it.
    expect(heldMost).toBeLessThanOrEqual("://example.com".length);
    expect(stream.push(" and a word")).toBe(" and a word");
  });

  it("holds back no more than a bounded part of a secret that goes on and on", () => {
    const stream = redactor.stream();
    stream.push("ghp_");
    let shown = "";
    for (let i = 0; i < 10_000; i++) shown += stream.push("aB3dE5fG7h");
    expect(shown).toBe("[redacted:github-token]");
    expect(stream.push(" end")).toBe(" end");
  });
});

function oneByOne(whole: string): number[] {
  return Array.from({ length: whole.length }, (_, at) => at);
}

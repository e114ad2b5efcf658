import fc from "fast-check";
import { expect, test } from "vitest";
import { retryAfter } from "../../src/provider/anthropic/api-failure.ts";
import { AS_SET, type Failure } from "../../src/provider/anthropic/failure.ts";
import { retryDelay } from "../../src/provider/anthropic/retry-delay.ts";

const SETTINGS = { maxRetries: 10, retryBaseMs: 500, retryAfterMaxMs: 300_000 };
const failed = (more: Partial<Failure> = {}): Failure => ({
  code: "overloaded",
  message: "",
  retries: AS_SET,
  ...more,
});
const same = (tries: number) => ({ all: tries, alike: tries });

test("doubles the wait from try to try up to half a minute, a quarter of it by chance", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4, 5, 6, 7, 8].map((tries) => retryDelay(failed(), same(tries), SETTINGS, () => random));
  expect(delays(0)).toEqual([375, 750, 1_500, 3_000, 6_000, 12_000, 22_500, 22_500]);
  expect(delays(1)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
});

test("never comes back earlier than the server asks, nor waits longer than is allowed", () => {
  fc.assert(
    fc.property(
      fc.nat(10_000_000),
      fc.integer({ min: 1, max: 12 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (asked, tries, random) => {
        const delay = retryDelay(failed({ retryAfterMs: asked }), same(tries), SETTINGS, () => random);
        if (tries > 10 || asked > 300_000) expect(delay).toBeUndefined();
        else {
          expect(delay).toBeGreaterThanOrEqual(asked);
          expect(delay).toBeLessThanOrEqual(Math.max(asked + 7_500, 30_000));
        }
      },
    ),
  );
});

test("stops after the tries that the settings or the kind of failure allow, whichever is fewer", () => {
  const count = (retries: number, maxRetries: number) => {
    let tries = 0;
    while (retryDelay(failed({ retries }), same(tries + 1), { ...SETTINGS, maxRetries }) !== undefined)
      tries++;
    return tries;
  };
  expect([count(AS_SET, 6), count(2, 6), count(2, 1), count(0, 6), count(AS_SET, 0)]).toEqual([
    6, 2, 1, 0, 0,
  ]);
});

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ "retry-after": "7" }, 7_000],
  [{ "retry-after": "0.5" }, 500],
  [{ "retry-after": "Tue, 01 Dec 2026 00:00:30 GMT" }, 30_000],
  [{ "retry-after": "Mon, 30 Nov 2026 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-5" }, undefined],
  [{ "retry-after": "9", "retry-after-ms": "120" }, 120],
])("reads %o as a wait of %s ms", (headers, expected) => {
  expect(retryAfter(new Headers(headers), Date.parse("2026-12-01T00:00:00Z"))).toBe(expected);
});

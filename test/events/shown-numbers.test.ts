import { expect, test } from "vitest";
import { shownBytes, shownCount, shownDuration } from "../../src/events/shown-numbers.ts";

test("sizes", () => {
  const sizes = [0, 1, 1023, 1024, 4198, 51_200, 1_023_950, 1_048_576, 5 * 2 ** 30];
  expect(sizes.map(shownBytes)).toEqual([
    "0 B",
    "1 B",
    "1023 B",
    "1.0 KB",
    "4.1 KB",
    "50.0 KB",
    "1.0 MB",
    "1.0 MB",
    "5.0 GB",
  ]);
});

test("durations and counts", () => {
  expect([0, 3.4, 999.4, 1500, 61_000].map(shownDuration)).toEqual([
    "0 ms",
    "3 ms",
    "999 ms",
    "1.5 s",
    "61.0 s",
  ]);
  expect([0, 1, 2].map((count) => shownCount(count, "step"))).toEqual(["0 steps", "1 step", "2 steps"]);
});

import { expect, test } from "vitest";
import { handledBy, rightsOf } from "../../workers/seal/landlock.ts";

test("each Landlock ABI is asked for what it has, and for no more", () => {
  const asked = [1, 2, 3, 4, 5, 6, 7, 12].map((abi) => {
    const { fs, net, scoped, attrBytes } = handledBy(abi);
    return [abi, fs.toString(16), net, scoped, attrBytes];
  });
  expect(asked).toEqual([
    [1, "1fff", 0n, 0n, 8],
    [2, "3fff", 0n, 0n, 8],
    [3, "7fff", 0n, 0n, 8],
    [4, "7fff", 3n, 0n, 16],
    [5, "ffff", 3n, 0n, 16],
    [6, "ffff", 3n, 3n, 24],
    [7, "ffff", 3n, 3n, 24],
    [12, "ffff", 3n, 3n, 24],
  ]);
});

test("a rule gives the rights of its kind of access", () => {
  const rights = (["read", "write", "run", "build", "device"] as const).map((access) => [
    access,
    rightsOf(access, 7, true).toString(16),
    rightsOf(access, 7, false).toString(16),
    rightsOf(access, 1, true).toString(16),
  ]);
  expect(rights).toEqual([
    ["read", "c", "4", "c"],
    ["write", "61be", "4006", "1be"],
    ["run", "d", "5", "d"],
    ["build", "77bf", "4007", "17bf"],
    ["device", "8006", "8006", "6"],
  ]);
});

test("no kind of access lets device nodes be made", () => {
  const makeDevice = (1n << 6n) | (1n << 11n);
  for (const access of ["read", "write", "run", "build", "device"] as const) {
    expect(rightsOf(access, 7, true) & makeDevice).toBe(0n);
  }
});

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProfileOptions } from "../../src/sandbox/profile.ts";
import type { RefusedCall } from "./fixtures/sealed-thread.ts";
import { SEALABLE, sealedPlace } from "./sealed-place.ts";
import { startThread } from "./sealed-thread.ts";

const EPERM = 1;
const ENOSYS = 38;

describe.runIf(SEALABLE)("a seal that cannot be made whole", () => {
  const { place, bundle } = sealedPlace("never-half");

  /** Tries to seal a thread; tells the outcome, and whether the thread can still read outside the workspace. */
  const seal = async (options: Partial<ProfileOptions>, refuse?: RefusedCall): Promise<unknown> => {
    const profile = { profile: "read" as const, root: place().root, readPaths: [], ...options };
    const thread = await startThread(bundle(), profile, refuse);
    const secret = join(place().outside, "secret.txt");
    const read = await thread.run(
      ({ node: { fs }, input }) => fs.readFileSync(String(input), "utf8"),
      secret,
    );
    await thread.stop();
    const { landlockAbi: _, ...outcome } = thread.outcome ?? { landlockAbi: 0 };
    return { ...outcome, read };
  };
  const unavailable = { state: "unavailable", seccomp: true, usable: true, read: "secret" };

  test("is none where the kernel has no Landlock", async () => {
    expect(await seal({}, { call: "landlock_create_ruleset", errno: ENOSYS })).toEqual({
      ...unavailable,
      reason: "the kernel offers no Landlock (Linux 5.13 or later, and switched on)",
    });
  });

  test("is none where the kernel has no seccomp filters", async () => {
    expect(await seal({}, { call: "seccomp", errno: ENOSYS })).toEqual({
      ...unavailable,
      seccomp: false,
      reason: "the kernel offers no seccomp filter",
    });
  });

  test.each([
    ["landlock_add_rule", `landlock_add_rule failed with errno 1 for `],
    ["landlock_restrict_self", "landlock_restrict_self failed with errno 1"],
  ] as const)("is none when %s fails", async (call, reason) => {
    expect(await seal({}, { call, errno: EPERM })).toEqual({
      ...unavailable,
      reason: expect.stringContaining(reason),
    });
  });

  test("is none when the workspace or a folder to read is not there, or is a symlink now", async () => {
    const missing = join(place().outside, "missing");
    expect(await seal({ root: missing })).toEqual({
      ...unavailable,
      reason: `${JSON.stringify(missing)} cannot be opened for the seal: ENOENT`,
    });
    expect(await seal({ readPaths: [missing] })).toEqual({
      ...unavailable,
      reason: `${JSON.stringify(missing)} cannot be opened for the seal: ENOENT`,
    });
    expect(await seal({ root: "/proc/self/root" })).toEqual({
      ...unavailable,
      reason: `"/proc/self/root" cannot be opened for the seal: ENOTDIR`,
    });
  });

  test("makes the thread unusable when Landlock is on and the filter is not", async () => {
    const setModeFilter = 1;
    expect(await seal({}, { call: "seccomp", argument: setModeFilter, errno: EPERM })).toEqual({
      state: "unavailable",
      seccomp: true,
      usable: false,
      reason: "Landlock holds, but seccomp failed with errno 1",
      read: "EACCES",
    });
  });

  test("leaves no descriptor behind", async () => {
    const before = readdirSync("/proc/self/fd").length;
    await seal({}, { call: "landlock_add_rule", errno: EPERM });
    await seal({}, { call: "landlock_restrict_self", errno: EPERM });
    await seal({ readPaths: ["/missing"] });
    expect(readdirSync("/proc/self/fd").length).toBe(before);
  });
});

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { SealReport } from "../../src/events/run-event.ts";
import { runSelfCheck, startLibuvPool } from "../../src/sandbox/self-check.ts";
import { SEAL_ATTEMPTS, type SelfCheckInput } from "../../src/sandbox/self-check-input.ts";
import { eventually } from "../support/processes.ts";
import { SEALABLE, sealedPlace } from "./sealed-place.ts";
import { type SealedThread, startThread } from "./sealed-thread.ts";

const descriptors = (): number => readdirSync("/proc/self/fd").length;

describe.runIf(SEALABLE)("the self-check", () => {
  const { place, start, bundle } = sealedPlace("self-check");
  let planted = "";

  /** The check on this thread, with an eye on where the canary was. */
  const check = (thread: SealedThread): Promise<SealReport> =>
    runSelfCheck({
      root: place().root,
      run(input) {
        planted = dirname(input.canary);
        expect(existsSync(planted)).toBe(true);
        return thread.run(({ selfCheck, input: given }) => selfCheck(given as SelfCheckInput), input);
      },
    });

  test("holds on a sealed thread, again on the same one, and leaves nothing behind", async () => {
    await startLibuvPool();
    const thread = await start({ profile: "read" });
    const before = descriptors();
    for (let time = 0; time < 2; time++) {
      const report = await check(thread);
      expect(report).toEqual({
        state: "held",
        landlock_abi: thread.outcome?.landlockAbi,
        seccomp: true,
        escaped: [],
      });
    }
    expect([descriptors() - before, existsSync(planted)]).toEqual([0, false]);
  });

  test("finds every way out of a thread that only says it is sealed", async () => {
    const before = descriptors();
    const thread = await startThread(bundle(), undefined);
    try {
      const report = await check(thread);
      expect(report).toMatchObject({ state: "partial", escaped: [...SEAL_ATTEMPTS] });
      expect(report.reason).toBe(SEAL_ATTEMPTS.map((name) => `${name}: escaped`).join(", "));
    } finally {
      await thread.stop();
    }
    expect([descriptors() - before, existsSync(planted)]).toEqual([0, false]);
  });
});

describe("the report of the self-check", () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-check-")));
  const refused = Object.fromEntries(SEAL_ATTEMPTS.map((name) => [name, "refused"]));
  const seal = { state: "sealed", landlock_abi: 7, seccomp: true };
  const check = (run: (input: SelfCheckInput) => unknown): Promise<unknown> =>
    runSelfCheck({ root, run: async (input) => run(input) });

  afterAll(() => rmSync(root, { recursive: true, force: true }));

  test("does not take the worker's word for what the main thread sees with its own eyes", async () => {
    const report = await check((input) => {
      mkdirSync(input.beside);
      return { seal, attempts: refused };
    });
    expect(report).toEqual({
      state: "partial",
      landlock_abi: 7,
      seccomp: true,
      escaped: ["write_beside"],
      reason: "write_beside: escaped",
    });
  });

  test("counts an attempt that failed for another reason, or is missing, as one that was not refused", async () => {
    const { exec: _, ...rest } = refused;
    const report = await check(() => ({ seal, attempts: { ...rest, read_absolute: "ENOENT" } }));
    expect(report).toEqual({
      state: "partial",
      landlock_abi: 7,
      seccomp: true,
      escaped: ["read_absolute", "exec"],
      reason: "read_absolute: not shown to be refused (ENOENT), exec: not shown to be refused (no answer)",
    });
  });

  test("says why there is no seal", async () => {
    const reason = "the kernel offers no Landlock";
    const told = { seal: { state: "unavailable", landlock_abi: 0, seccomp: true, reason } };
    expect(await check(() => told)).toEqual({
      state: "unavailable",
      landlock_abi: 0,
      seccomp: true,
      escaped: [],
      reason,
    });
  });

  test.each([undefined, null, "sealed", 7, [], {}, { seal: "sealed" }])(
    "does not hold on the answer %j",
    async (answer) => {
      expect(await check(() => answer)).toMatchObject({
        state: "unavailable",
        reason: "the worker did not say whether it is sealed",
      });
    },
  );

  test("does not hold when the worker dies, and cleans up all the same", async () => {
    let planted = "";
    const report = await check((input) => {
      planted = input.canary;
      expect(existsSync(planted)).toBe(true);
      throw new Error("worker exited with code: 134");
    });
    expect(report).toMatchObject({
      state: "unavailable",
      reason: "the self-check did not finish: worker exited with code: 134",
    });
    expect(existsSync(planted)).toBe(false);
  });

  test("takes away what a process left that was killed in its own check, and nothing else", async () => {
    const folder = (name: string, hours: number): string => {
      const path = join(tmpdir(), name);
      mkdirSync(path);
      writeFileSync(join(path, "canary"), "");
      const then = Date.now() / 1_000 - hours * 3_600;
      utimesSync(path, then, then);
      return path;
    };
    const stale = folder("ruizn-canary-stale1", 2);
    const others = [folder("ruizn-canary-fresh1", 0.5), folder("ruizn-other-stale1", 2)];
    await check(() => ({ seal, attempts: refused }));
    expect(
      await eventually(
        () => existsSync(stale),
        (there) => !there,
      ),
    ).toBe(false);
    expect(others.map((path) => existsSync(path))).toEqual([true, true]);
    for (const path of others) rmSync(path, { recursive: true });
  });

  test("is not made where the workspace takes in every place for a canary", async () => {
    const report = await runSelfCheck({ root: "/", run: async () => ({ seal, attempts: refused }) });
    expect(report).toMatchObject({
      state: "unavailable",
      reason: "the self-check did not finish: no folder outside the workspace / for a canary",
    });
  });

  test("plants the canary elsewhere when the workspace takes in the temp folder", async () => {
    let canary = "";
    await runSelfCheck({
      root: tmpdir(),
      run: async (input) => {
        canary = input.canary;
      },
    });
    expect(canary).not.toBe("");
    expect(canary.startsWith(`${realpathSync(tmpdir())}/`)).toBe(false);
  });
});

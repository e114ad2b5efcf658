import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { release, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { runDoctor } from "../../src/cli/doctor.ts";
import { adviceFor } from "../../src/cli/doctor-advice.ts";
import type { DoctorFacts } from "../../src/cli/doctor-facts.ts";
import { nodeLine } from "../../src/cli/node-lines.ts";
import { ATTEMPTS, SEAL_ATTEMPTS } from "../../src/sandbox/self-check-input.ts";
import { SEALABLE } from "./sealed-place.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

async function doctor(json: boolean): Promise<{ text: string; code: number }> {
  let text = "";
  const code = await runDoctor({ stdout: { write: (part) => void (text += part) } }, { json });
  return { text, code };
}

describe.runIf(SEALABLE)("ruizn doctor", () => {
  const folders: string[] = [];
  afterAll(() => {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  test("tries the seal live and says that it holds", async () => {
    const { text, code } = await doctor(true);
    const facts = JSON.parse(text) as DoctorFacts & { sealed: boolean };
    expect(facts).toMatchObject({
      type: "doctor",
      sealed: true,
      node: { version: process.versions.node },
      platform: "linux",
      arch: process.arch,
      kernel: release(),
      koffi: { version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      seccomp: true,
      self_check: { state: "held", escaped: [] },
      attempts: [...SEAL_ATTEMPTS],
      tool_host: { self_check: { state: "held", escaped: [] }, attempts: [...ATTEMPTS.process] },
    });
    expect(facts.landlock_abi).toBeGreaterThan(0);
    expect(facts.profiles.map(({ name }) => name)).toEqual(["read", "write", "shell"]);
    expect(code).toBe(0);
  });

  test("shows every attempt, and what the seal does not cover", async () => {
    const { text, code } = await doctor(false);
    for (const name of SEAL_ATTEMPTS) expect(text).toContain(`  refused  ${name}\n`);
    for (const name of ["read_async", "write_async"]) expect(text).toContain(`  refused  ${name}\n`);
    expect(text).toContain(
      "\nSeal: held\nSeal of tool hosts: held\nAsynchronous file access and name look-ups",
    );
    expect(code).toBe(0);
  });

  test("says what to do where koffi is missing, and exits with 44", () => {
    const folder = mkdtempSync(join(tmpdir(), "ruizn-no-koffi-"));
    folders.push(folder);
    cpSync(join(PROJECT, "dist", "src"), join(folder, "dist", "src"), { recursive: true });
    cpSync(join(PROJECT, "dist", "workers"), join(folder, "dist", "workers"), { recursive: true });
    cpSync(join(PROJECT, "package.json"), join(folder, "package.json"));
    mkdirSync(join(folder, "node_modules"));
    for (const name of readdirSync(join(PROJECT, "node_modules"))) {
      if (name === "koffi" || name === "@koromix") continue;
      symlinkSync(join(PROJECT, "node_modules", name), join(folder, "node_modules", name));
    }
    const module = pathToFileURL(join(folder, "dist", "src", "cli", "doctor.js")).href;
    const code = `const { runDoctor } = await import(${JSON.stringify(module)});
      process.exitCode = await runDoctor({ stdout: process.stdout }, { json: process.argv[1] === "json" });`;
    const run = (format: string): { status: number | null; stdout: string; stderr: string } =>
      spawnSync(process.execPath, ["--input-type=module", "-e", code, format], {
        cwd: dirname(folder),
        env: {},
        encoding: "utf8",
      });
    const { status, stdout, stderr } = run("json");
    expect([status, stderr]).toEqual([44, ""]);
    expect(JSON.parse(stdout)).toMatchObject({
      sealed: false,
      koffi: null,
      landlock_abi: 0,
      seccomp: false,
      self_check: {
        state: "unavailable",
        escaped: [],
        reason: "koffi cannot be loaded: Cannot find module 'koffi'",
      },
      advice: expect.arrayContaining([
        "koffi is not installed: run `npm install` without --omit=optional, or `npm install koffi`.",
      ]),
    });
    expect(run("text").stdout).toContain("no  Landlock  not known without koffi\n");
  });
});

describe("the advice of ruizn doctor", () => {
  const held: DoctorFacts = {
    node: { version: "24.0.0", line: 24, supported: true },
    platform: "linux",
    arch: "x64",
    kernel: "6.18.0",
    koffi: { version: "3.3.4" },
    landlock_abi: 7,
    seccomp: true,
    profiles: [],
    self_check: { state: "held", landlock_abi: 7, seccomp: true, escaped: [] },
    attempts: SEAL_ATTEMPTS,
    tool_host: {
      self_check: { state: "held", landlock_abi: 7, seccomp: true, escaped: [] },
      attempts: ATTEMPTS.process,
    },
  };

  test("is none where all is well", () => {
    expect(adviceFor(held)).toEqual([]);
  });

  test("names what is missing and the way to it", () => {
    const unavailable: DoctorFacts["self_check"] = {
      state: "unavailable",
      landlock_abi: 0,
      seccomp: true,
      escaped: [],
      reason: "why",
    };
    const advice = [
      { platform: "darwin", self_check: unavailable },
      { arch: "riscv64", self_check: unavailable },
      { landlock_abi: 0, self_check: unavailable },
      { seccomp: false, self_check: { ...unavailable, landlock_abi: 7, seccomp: false } },
      { landlock_abi: 1 },
      { landlock_abi: 4 },
      {
        self_check: {
          ...held.self_check,
          state: "partial" as const,
          escaped: ["exec"],
          reason: "exec: escaped",
        },
      },
      {
        tool_host: {
          attempts: ATTEMPTS.process,
          self_check: { ...held.self_check, state: "partial" as const, escaped: ["read_async"] },
        },
      },
    ].map((change) => adviceFor({ ...held, ...change }).map((line) => line.slice(0, 60)));
    expect(advice).toMatchInlineSnapshot(`
      [
        [
          "The kernel seal needs Linux; on darwin tools are held by the",
        ],
        [
          "The kernel seal knows x64 and arm64, not riscv64: run on one",
        ],
        [
          "The kernel offers no Landlock: use Linux 5.13 or later with ",
          "There is no seal: why.",
        ],
        [
          "The kernel offers no seccomp filters: use one built with CON",
          "There is no seal: why.",
        ],
        [
          "Landlock ABI 1 does not know truncating (Linux 6.2), TCP (6.",
        ],
        [
          "Landlock ABI 4 does not know signals and abstract sockets (6",
        ],
        [
          "The seal did not hold (exec: escaped): use --require-seal to",
        ],
        [
          "The seal of tool hosts did not hold (no reason given): run t",
        ],
      ]
    `);
  });
});

test("a line of Node is supported until the day of its end of life", () => {
  const day = (date: string): Date => new Date(`${date}T12:00:00Z`);
  expect(nodeLine("20.20.2", day("2026-04-30"))).toEqual({
    version: "20.20.2",
    line: 20,
    end_of_life: "2026-04-30",
    supported: true,
  });
  const supported = (version: string): boolean => nodeLine(version, day("2026-12-01")).supported;
  expect(["20.20.2", "22.23.3", "23.1.0", "24.21.0", "25.0.0", "26.0.0", "27.0.0"].map(supported)).toEqual([
    false,
    true,
    false,
    true,
    false,
    true,
    true,
  ]);
});

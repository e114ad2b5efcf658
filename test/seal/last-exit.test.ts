import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { mkdtempSync } from "node:fs";
import { transform } from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { SEALABLE } from "./sealed-place.ts";

const FIXTURE = fileURLToPath(new URL("fixtures/stuck-exit.mjs", import.meta.url));
const SOURCE = fileURLToPath(new URL("../../src/sandbox/last-exit.ts", import.meta.url));

interface End {
  code: number | null;
  signal: string | null;
  output: string;
}

/** Runs the process to its end; "killed by the test" when it does not end by itself. */
async function end(args: string[], patienceMs = 10_000): Promise<End | "hangs"> {
  const child = spawn(process.execPath, [FIXTURE, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), patienceMs);
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  const inTime = child.exitCode !== null || !child.killed;
  clearTimeout(timer);
  return inTime ? { code, signal, output } : "hangs";
}

describe.runIf(SEALABLE)("the last exit", () => {
  let module: string;
  let withoutKoffi: string;

  beforeAll(async () => {
    const { code } = await transform(readFileSync(SOURCE, "utf8"), { loader: "ts", format: "esm" });
    const near = fileURLToPath(new URL("../../dist/test-seal/", import.meta.url));
    mkdirSync(near, { recursive: true });
    const far = mkdtempSync(join(tmpdir(), "ruizn-no-koffi-"));
    const write = (folder: string): string => {
      writeFileSync(join(folder, "last-exit.mjs"), code);
      return pathToFileURL(join(folder, "last-exit.mjs")).href;
    };
    module = write(near);
    withoutKoffi = write(far);
  });

  test("ends the process with its code though a worker is stuck in a system call", async () => {
    expect(await end([module, "44"])).toEqual({ code: 44, signal: null, output: "stuck\n" });
    expect(await end([module, "0"])).toEqual({ code: 0, signal: null, output: "stuck\n" });
  });

  test("ends it by SIGKILL where koffi is missing", async () => {
    expect(await end([withoutKoffi, "44"])).toEqual({ code: null, signal: "SIGKILL", output: "stuck\n" });
  });

  test("is needed: process.exit waits for the stuck worker for ever", async () => {
    expect(await end([module, "44", "exit"], 1_500)).toBe("hangs");
  });
});

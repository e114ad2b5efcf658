// What can't be noisy of what a run costs: bytes, system calls, and how often something is turned into JSON.
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { EventWriter } from "../../src/events/event-writer.ts";
import { LlmTokenEvent } from "../../src/events/run-event.ts";
import type { Message } from "../../src/messages.ts";
import { settle } from "../../src/provider/anthropic/anthropic-options.ts";
import { RequestWriter } from "../../src/provider/anthropic/request-writer.ts";
import { startMessagesDouble, text } from "../../src/testing.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const KB = 1_024;
const hasStrace = process.platform === "linux" && spawnSync("strace", ["-V"]).status === 0;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ruizn-performance-"));
  writeFileSync(join(folder, "4k.txt"), "0123456789abcde\n".repeat(256));
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** System calls of a whole process by name. */
function systemCalls(what: "call" | "event", count: number): Map<string, number> {
  const file = join(folder, `strace-${what}-${count}`);
  const script = join(root, "test/support/repeated-calls.mjs");
  const args = ["-f", "-c", "-o", file, process.execPath, script, what, folder, `${count}`];
  const traced = spawnSync("strace", args, { env: { PATH: process.env["PATH"] } });
  expect(traced.stderr.toString()).toBe("");
  const lines = readFileSync(file, "utf8").split("\n");
  const counts = lines.map((line) => /^\s*[\d.]+\s+[\d.]+\s+\d+\s+(\d+)\s+(?:\d+\s+)?(\w+)$/.exec(line));
  return new Map(counts.flatMap((found) => (found ? [[String(found[2]), Number(found[1])]] : [])));
}

/** What each of a hundred more costs, rounded: a few calls of the garbage collector and of threads that wait are not it. */
function eachCosts(what: "call" | "event", names: readonly string[]): Record<string, number> {
  const [few, many] = [systemCalls(what, 20), systemCalls(what, 120)];
  return Object.fromEntries(
    names.map((name) => [name, Math.round(((many.get(name) ?? 0) - (few.get(name) ?? 0)) / 100)]),
  );
}

/** Without `read`: threads wake each other by it, and how often that needs one is a matter of luck. */
const FILE_CALLS = [
  "openat",
  "openat2",
  "close",
  "readlink",
  "statx",
  "fstat",
  "pread64",
  "lseek",
  "fdatasync",
];

// Needs strace, which says what was asked of the kernel by any thread.
describe.skipIf(!hasStrace)("what is asked of the kernel", () => {
  it("for a warm call that reads 4 KB: opened once beneath the root, looked at once, read to its end", () => {
    const counts = eachCosts("call", FILE_CALLS);
    expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual({
      openat: 1,
      openat2: 1,
      close: 2,
      readlink: 1,
      statx: 1,
      pread64: 2,
    });
  });

  it("for an event: one write", () => {
    const counts = eachCosts("event", [...FILE_CALLS, "write", "pwrite64", "writev"]);
    expect(Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0))).toEqual({ write: 1 });
  });
});

describe("how often something is turned into JSON", () => {
  it("an event: once", () => {
    const writer = EventWriter.create({ workspace: folder, runId: "run-json", fsync: "none" });
    const stringify = vi.spyOn(JSON, "stringify");
    for (let seq = 1; seq <= 10; seq += 1) {
      const stamp = { v: 1 as const, seq, ts: "2026-07-22T18:20:00.000Z", run_id: "run-json" };
      writer.onEvent({ stamp, event: new LlmTokenEvent({ step: 1, text: "word " }) });
    }
    const calls = stringify.mock.calls.length;
    stringify.mockRestore();
    writer.close();
    expect(calls).toBe(10);
  });

  it("a block of the conversation: once, however many requests it is in", () => {
    const writer = new RequestWriter(settle({ model: "claude-test", apiKey: "k" }));
    const messages: Message[] = [];
    const perRequest: number[] = [];
    for (let step = 0; step < 20; step += 1) {
      messages.push({ role: "user", content: [{ type: "text", text: `question ${step}` }] });
      const stringify = vi.spyOn(JSON, "stringify");
      writer.write({ system: "Be brief.", tools: [], messages, maxTokens: 1_000 });
      perRequest.push(stringify.mock.calls.length);
      stringify.mockRestore();
      messages.push({ role: "assistant", content: [{ type: "text", text: `answer ${step}` }] });
    }
    // The head and the system prompt; then the first question alone, later an answer and a question.
    expect(perRequest).toEqual([3, ...Array.from({ length: 19 }, () => 4)]);
  });
});

describe("sizes", () => {
  it("of the first request stay as they are: a rise is paid for in every run", async () => {
    const double = await startMessagesDouble({ script: [text("Done.")] });
    const workspace = mkdtempSync(join(folder, "ws-"));
    const args = [join(root, "dist/bin/ruizn.js"), "run", "--goal", "Say something", "--quiet"];
    const env = { HOME: folder, ANTHROPIC_API_KEY: "test", ANTHROPIC_BASE_URL: double.url };
    const child = spawn(process.execPath, args, { cwd: workspace, stdio: "ignore", env });
    await once(child, "close");
    const bytes = double.requests.map(({ raw }) => raw.length);
    await double.close();
    expect(bytes).toHaveLength(1);
    expect(bytes[0]).toBeGreaterThan(2_000);
    expect(bytes[0]).toBeLessThan(10 * KB);
  });

  it("of what a worker and a host load: each is one file, read at every start", () => {
    const sizeOf = (name: string) => statSync(join(root, "dist/workers", name)).size;
    expect(sizeOf("tool-worker.cjs")).toBeLessThan(400 * KB);
    expect(sizeOf("tool-host.cjs")).toBeLessThan(128 * KB);
  });
});

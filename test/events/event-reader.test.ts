import {
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  appendFileSync,
  mkdirSync,
  symlinkSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import { callStarted, SAMPLE_EVENTS, temporaryFolder, token, writeLog } from "../support/sample-log.ts";

const plainSample = SAMPLE_EVENTS.map((event) => JSON.parse(JSON.stringify(event)));
const eventsIn = (path: string) => [...eventsOf(readEvents(path))].map(({ event }) => event);

describe("readEvents", () => {
  it("gives back what was written, line separators and lone surrogates included", () => {
    const { path } = writeLog();
    const entries = [...readEvents(path)];
    expect(entries.map((entry) => [entry.kind, entry.line])).toEqual(
      SAMPLE_EVENTS.map((_, i) => ["event", i + 1]),
    );
    expect(eventsIn(path)).toEqual(plainSample);
  });

  it("gives a prefix of the events for a log cut at any byte, and reports the torn line", () => {
    const { path, file } = writeLog();
    const whole = readFileSync(file);
    for (let length = whole.length; length >= 0; length--) {
      truncateSync(file, length);
      const entries = [...readEvents(path)];
      const lines = whole.subarray(0, length).filter((byte) => byte === 10).length;
      expect(entries.filter(({ kind }) => kind === "event").length).toBe(lines);
      const tail = length - 1 - (length === 0 ? -1 : whole.lastIndexOf(10, length - 1));
      const torn = tail === 0 ? [] : [{ kind: "torn", line: lines + 1, bytes: tail }];
      expect(entries.slice(lines)).toEqual(torn);
    }
  });

  it("passes over types and versions it does not know", () => {
    const { path, file } = writeLog();
    const line = { v: 1, seq: 9, ts: "t", run_id: "r", prev: "p" };
    appendFileSync(file, `${JSON.stringify({ ...line, type: "run.dreamt", x: 1 })}\n`);
    appendFileSync(file, `${JSON.stringify({ ...line, v: 2, type: "run.started" })}\n`);
    appendFileSync(file, `${JSON.stringify({ ...line, type: "toString" })}\n`);
    expect([...readEvents(path)].slice(SAMPLE_EVENTS.length)).toEqual([
      { kind: "unknown", line: 9, type: "run.dreamt" },
      { kind: "unknown", line: 10, type: "run.started" },
      { kind: "unknown", line: 11, type: "toString" },
    ]);
    expect(eventsIn(path)).toEqual(plainSample);
  });

  it("names what is no event of ours", () => {
    const { path, file } = writeLog([]);
    const lines = ["", "{", "[]", "null", "{}", '{"v":1,"type":"run.started"}', `"${"x".repeat(70_000)}"`];
    writeFileSync(file, Buffer.concat([Buffer.from(`${lines.join("\n")}\n`), Buffer.from([0xff, 10])]));
    expect([...readEvents(path)]).toEqual(
      [
        "not JSON",
        "not JSON",
        "not a JSON object",
        "not a JSON object",
        "without version or type",
        "without seq, ts or run_id",
        "longer than 65536 bytes",
        "not UTF-8",
      ].map((reason, i) => ({ kind: "garbage", line: i + 1, reason })),
    );
  });

  it("takes an event with a missing field or one of a wrong kind for garbage, whichever field it is", () => {
    const { path, file } = writeLog();
    const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
    let tried = 0;
    for (const line of lines) {
      const { v, seq, ts, run_id, type, ...own } = JSON.parse(line);
      for (const name of Object.keys(own).filter(
        (key) => !["prev", "log_seal", "input", "read_only"].includes(key),
      )) {
        for (const wrong of [undefined, { deep: [null] }, [[]]]) {
          writeFileSync(file, `${JSON.stringify({ v, seq, ts, run_id, type, ...own, [name]: wrong })}\n`);
          const reason = `${type} without a valid ${name}`;
          const expected = name === "data" && wrong && !Array.isArray(wrong) ? "event" : reason;
          expect(
            [...readEvents(path)].map((entry) => (entry.kind === "garbage" ? entry.reason : entry.kind)),
          ).toEqual([expected]);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(100);
  });

  it("says which blob is missing or altered, and blocks on nothing in its place", () => {
    const { path } = writeLog([token("a"), callStarted("t1", "x".repeat(70_000)), token("b")]);
    const blobs = join(path, "blobs");
    const blob = join(blobs, readdirSync(blobs)[0] as string);
    const second = () =>
      [...readEvents(path)].map((entry) => (entry.kind === "garbage" ? entry.reason : entry.kind));
    const content = readFileSync(blob);
    content[100] = 0;
    writeFileSync(blob, content);
    expect(second()).toEqual(["event", "the blob of input is altered", "event"]);
    const replacements: Record<string, () => void> = {
      nothing: () => undefined,
      folder: () => mkdirSync(blob),
      fifo: () => void execFileSync("mkfifo", [blob]),
      link: () => symlinkSync("/etc/passwd", blob),
      endless: () => symlinkSync("/dev/zero", blob),
    };
    for (const replace of Object.values(replacements)) {
      rmSync(blob, { recursive: true, force: true });
      replace();
      expect(second()).toEqual(["event", "the blob of input is missing", "event"]);
    }
  });

  it("never throws, whatever bytes the file holds", () => {
    const { path, file } = writeLog();
    const whole = readFileSync(file);
    const damaged = fc
      .array(fc.tuple(fc.nat(whole.length - 1), fc.uint8Array({ maxLength: 40 })), { maxLength: 5 })
      .map((edits) => {
        const bytes = Buffer.from(whole);
        for (const [at, edit] of edits) bytes.set(edit.subarray(0, bytes.length - at), at);
        return bytes;
      });
    const jsonLines = fc.array(fc.json(), { maxLength: 8 }).map((lines) => Buffer.from(lines.join("\n")));
    const eventLike = fc
      .array(
        fc.record({
          v: fc.constantFrom(1, 2, "1"),
          seq: fc.constantFrom(1, -1, 1.5, null),
          ts: fc.constantFrom("t", 3),
          run_id: fc.constantFrom("r", undefined),
          type: fc.constantFrom("llm.token", "x", 5),
          text: fc.oneof(fc.string(), fc.record({ $blob: fc.anything({ withNullPrototype: false }) })),
        }),
      )
      .map((lines) => Buffer.from(lines.map((line) => `${safeJson(line)}\n`).join("")));
    const anything = fc.oneof(fc.uint8Array({ maxLength: 2_000 }), damaged, jsonLines, eventLike);
    fc.assert(
      fc.property(anything, (bytes) => {
        writeFileSync(file, bytes);
        const lines = Buffer.from(bytes).toString("latin1").split("\n");
        const expected = lines.at(-1) === "" ? lines.length - 1 : lines.length;
        expect([...readEvents(path)].length).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("reads a log that is longer than its buffer, with lines across its edges", () => {
    const events = Array.from({ length: 300 }, (_, i) => token(`${i} ${"é".repeat((i * 97) % 9_000)}`));
    const { path } = writeLog(events);
    expect(eventsIn(path)).toEqual(events.map((event) => JSON.parse(JSON.stringify(event))));
  });

  it("says that there is no log where there is none", () => {
    const path = join(temporaryFolder(), "none");
    expect(() => [...readEvents(path)]).toThrow(
      new RuiZNError("input_invalid", `${join(path, "events.jsonl")} can't be read (ENOENT)`),
    );
  });
});

function safeJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return "null";
  }
}

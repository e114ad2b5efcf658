import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import { reopenRun } from "../../src/log/reopen-run.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import {
  callFinished,
  runFinished,
  runStarted,
  SAMPLE_EVENTS,
  SAMPLE_RUN_ID,
  token,
  writeLog,
} from "../support/sample-log.ts";

const problems = (path: string) => verifyLog(path).problems.map(({ kind, line }) => `${kind} ${line}`);

/** Changes the log's lines; the last of them keeps its line feed. */
function editLines(file: string, edit: (lines: string[]) => string[]): void {
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  writeFileSync(
    file,
    edit(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
}

describe("verifyLog", () => {
  it("calls an untouched log whole", () => {
    const { path, file } = writeLog();
    expect(verifyLog(path)).toEqual({
      path,
      runId: SAMPLE_RUN_ID,
      whole: true,
      problems: [],
      problemCount: 0,
      end: { head: expect.stringMatching(/^[0-9a-f]{64}$/), bytes: readFileSync(file).length, events: 8 },
      nextSeq: 9,
      tornBytes: 0,
    });
  });

  it("finds every byte that was changed, and the line it stands in", () => {
    const { path, file } = writeLog();
    const whole = readFileSync(file);
    let tried = 0;
    let line = 1;
    const fd = openSync(file, "r+");
    for (const [at, byte] of whole.entries()) {
      for (const mask of [0x01, 0x20, 0x80]) {
        writeSync(fd, Buffer.of(byte ^ mask), 0, 1, at);
        const { problems: found } = verifyLog(path);
        // A line feed that is gone makes one line of two; a changed number moves the blame by one line.
        const near = found.some((problem) => Math.abs(problem.line - line) <= 1);
        if (!near) throw new Error(`byte ${at} of line ${line} changed unseen: ${JSON.stringify(found)}`);
        tried += 1;
      }
      writeSync(fd, Buffer.of(byte), 0, 1, at);
      if (byte === 10) line += 1;
    }
    closeSync(fd);
    expect([verifyLog(path).whole, tried]).toEqual([true, whole.length * 3]);
    console.log(`changed bytes tried and found: ${tried}`);
  });

  it("finds a cut at every byte", () => {
    const { path, file } = writeLog();
    const whole = readFileSync(file);
    for (let length = whole.length - 1; length >= 0; length--) {
      truncateSync(file, length);
      const { problems: found, tornBytes } = verifyLog(path);
      const atLineEnd = length === 0 || whole[length - 1] === 10;
      expect(found.map(({ kind }) => kind).toSorted()).toEqual(
        atLineEnd ? ["unsealed"] : ["torn", "unsealed"],
      );
      expect(tornBytes > 0).toBe(!atLineEnd);
    }
    console.log(`cuts tried and found: ${whole.length}`);
  });

  it("names lines that were taken out", () => {
    for (let at = 0; at < SAMPLE_EVENTS.length; at++) {
      const { path, file } = writeLog();
      editLines(file, (lines) => lines.toSpliced(at, 1));
      const last = at === SAMPLE_EVENTS.length - 1;
      expect(problems(path)).toEqual([last ? `unsealed ${at}` : `cut ${at + 1}`]);
    }
    const { path, file } = writeLog();
    editLines(file, (lines) => lines.toSpliced(2, 3));
    expect(verifyLog(path).problems).toEqual([
      { kind: "cut", line: 3, message: "events 3 to 5 are missing before this line" },
    ]);
  });

  it("names lines that were put in twice", () => {
    for (let at = 0; at < SAMPLE_EVENTS.length; at++) {
      const { path, file } = writeLog();
      editLines(file, (lines) => lines.toSpliced(at, 0, lines[at] as string));
      const last = at === SAMPLE_EVENTS.length - 1;
      expect(problems(path)).toEqual([...(last ? [`appended ${at + 2}`] : []), `reordered ${at + 2}`]);
    }
  });

  it("names lines that changed places", () => {
    for (let a = 0; a < SAMPLE_EVENTS.length; a++) {
      for (let b = a + 1; b < SAMPLE_EVENTS.length; b++) {
        const { path, file } = writeLog();
        editLines(file, (lines) => lines.with(a, lines[b] as string).with(b, lines[a] as string));
        const found = verifyLog(path).problems;
        expect(found.some(({ kind, line }) => kind === "reordered" && line > a + 1 && line <= b + 1)).toBe(
          true,
        );
        expect(found.some(({ kind }) => kind === "cut")).toBe(false);
      }
    }
  });

  it("finds a line that was written anew with everything after it left as it was", () => {
    const { path, file } = writeLog();
    editLines(file, (lines) => lines.with(3, (lines[3] as string).replace("README.md", "SECRET.md")));
    expect(verifyLog(path).problems).toEqual([
      { kind: "altered", line: 4, message: "this line is not what it was when the next one was written" },
    ]);
  });

  it("finds lines of another run and lines after the end", () => {
    const { path, file } = writeLog();
    editLines(file, (lines) => [
      ...lines,
      (lines[7] as string).replace('"seq":8', '"seq":9').replace("a1b2c3", "zzzzzz"),
    ]);
    expect(problems(path)).toEqual(["altered 8", "altered 9", "appended 9", "altered 9"]);
  });

  it("finds blobs that are missing or altered", () => {
    const { path } = writeLog([runStarted(), callFinished("t1", "x".repeat(70_000)), runFinished()]);
    expect(problems(path)).toEqual([]);
    const blobs = join(path, "blobs");
    const blob = join(blobs, readdirSync(blobs)[0] as string);
    const content = readFileSync(blob);
    for (const at of [0, 1_000, content.length - 1]) {
      writeFileSync(blob, content.with(at, (content[at] as number) ^ 1));
      expect(problems(path)).toEqual(["blob_altered 2"]);
    }
    rmSync(blob);
    expect(problems(path)).toEqual(["blob_missing 2"]);
  });

  it("says of a killed run that it has no seal", () => {
    const { path } = writeLog([runStarted(), token("a")]);
    expect(verifyLog(path).problems).toEqual([
      { kind: "unsealed", line: 2, message: expect.stringContaining("no run.finished at the end") },
    ]);
  });

  it("takes a log that was continued after its end for whole", () => {
    const { workspace, path } = writeLog();
    const { end } = verifyLog(path);
    const { writer, firstSeq } = reopenRun({ workspace }, SAMPLE_RUN_ID, { fsync: "none" });
    const bus = new EventBus({ runId: SAMPLE_RUN_ID, firstSeq });
    bus.subscribe(writer);
    bus.publish(Object.assign(runStarted(), { resumed_from: end.events }));
    bus.publish(runFinished());
    writer.close();
    expect(problems(path)).toEqual([]);
    expect(verifyLog(path).end.events).toBe(10);
  });

  it("counts more problems than it lists", () => {
    const { path, file } = writeLog(Array.from({ length: 300 }, () => token("a")));
    editLines(file, (lines) => lines.map(() => "x"));
    const report = verifyLog(path);
    expect([report.problems.length, report.problemCount]).toEqual([100, 301]);
  });
});

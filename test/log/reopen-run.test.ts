import { appendFileSync, existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import { EventWriter } from "../../src/events/event-writer.ts";
import type { RunEvent } from "../../src/events/run-event.ts";
import { reopenRun } from "../../src/log/reopen-run.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import {
  callFinished,
  runFinished,
  runStarted,
  SAMPLE_EVENTS,
  SAMPLE_RUN_ID,
  temporaryFolder,
  token,
  writeLog,
} from "../support/sample-log.ts";

const reopen = (workspace: string) => reopenRun({ workspace }, SAMPLE_RUN_ID, { fsync: "none" });
const typesIn = (path: string) => [...eventsOf(readEvents(path))].map(({ event }) => event.type);

function goOn(workspace: string, events: RunEvent[]) {
  const { writer, firstSeq, tornLineKeptIn } = reopen(workspace);
  const bus = new EventBus({ runId: SAMPLE_RUN_ID, firstSeq });
  bus.subscribe(writer);
  for (const event of events) bus.publish(event);
  writer.close();
  return tornLineKeptIn;
}

/** `npm run proofs` cuts at more places. */
const CUT_EVERY = Number(process.env["RUIZN_TEST_CUT_EVERY"] ?? 31);

describe("reopenRun", () => {
  it("goes on with a log cut anywhere, keeps the torn piece, and the log verifies", () => {
    const resumed = Object.assign(runStarted(), { resumed_from: 1 });
    const source = writeLog(SAMPLE_EVENTS.slice(0, 4));
    const whole = readFileSync(source.file);
    const firstLine = whole.indexOf(10) + 1;
    let cuts = 0;
    for (let length = whole.length; length >= firstLine; length -= CUT_EVERY) {
      cuts += 1;
      const { workspace, path, file } = writeLog(SAMPLE_EVENTS.slice(0, 4));
      truncateSync(file, length);
      const lines = whole.subarray(0, length).filter((byte) => byte === 10).length;
      const torn = whole.subarray(whole.lastIndexOf(10, length - 1) + 1, length);
      const kept = goOn(workspace, [resumed, token("more"), runFinished()]);
      expect(verifyLog(path)).toMatchObject({ whole: true, end: { events: lines + 3 } });
      expect(kept).toBe(torn.length > 0 ? "events.torn-1" : undefined);
      if (kept) expect(readFileSync(join(path, kept))).toEqual(torn);
      expect(readFileSync(file).subarray(0, length - torn.length)).toEqual(
        whole.subarray(0, length - torn.length),
      );
    }
    console.log(`cut logs gone on with and verified: ${cuts}`);
  });

  it("keeps every torn piece, also when the run is killed more than once", () => {
    const { workspace, path, file } = writeLog([runStarted()]);
    for (const n of [1, 2, 3]) {
      appendFileSync(file, `{"torn":${n}`);
      expect(goOn(workspace, [token("a")])).toBe(`events.torn-${n}`);
      expect(readFileSync(join(path, `events.torn-${n}`), "utf8")).toBe(`{"torn":${n}`);
    }
    expect(typesIn(path)).toEqual(["run.started", "llm.token", "llm.token", "llm.token"]);
  });

  it("stores the same large content once more without harm", () => {
    const big = callFinished("t1", "x".repeat(70_000));
    const { workspace, path } = writeLog([runStarted(), big]);
    goOn(workspace, [big, runFinished()]);
    expect([verifyLog(path).whole, readdirSync(join(path, "blobs")).length]).toEqual([true, 1]);
  });

  it("refuses a log that was altered, and leaves it as it is", () => {
    const { workspace, path, file } = writeLog();
    const damaged = readFileSync(file, "utf8").replace("README.md", "SECRET.md");
    writeFileSync(file, damaged);
    expect(() => reopen(workspace)).toThrow(
      expect.objectContaining({
        code: "input_invalid",
        message: `the log of run ${SAMPLE_RUN_ID} is damaged at line 1: this line is not what it was when the next one was written`,
      }),
    );
    expect([readFileSync(file, "utf8"), readdirSync(path)]).toEqual([damaged, ["events.jsonl"]]);
  });

  it("refuses what is no run", () => {
    const workspace = temporaryFolder();
    for (const id of ["20260722-182000-zzzzzz", "../../etc", ""]) {
      expect(() => reopenRun({ workspace }, id)).toThrow(
        expect.objectContaining({
          code: "input_invalid",
          message: expect.stringContaining("there is no run"),
        }),
      );
    }
    const { workspace: other, file } = writeLog();
    truncateSync(file, 0);
    expect(() => reopen(other)).toThrow("holds no event");
  });

  describe("while another process writes the run's log", () => {
    it("refuses, and goes on when that one is done", () => {
      const workspace = temporaryFolder();
      const first = EventWriter.create({ workspace, runId: SAMPLE_RUN_ID, fsync: "none" });
      const bus = new EventBus({ runId: SAMPLE_RUN_ID });
      bus.subscribe(first);
      bus.publish(runStarted());
      expect(() => reopen(workspace)).toThrow(
        expect.objectContaining({
          code: "log_unwritable",
          message: expect.stringContaining(`process ${process.pid} still writes this run's log`),
        }),
      );
      first.close();
      goOn(workspace, [runFinished()]);
    });

    it("takes over from a process that is gone, and from one of the same number", () => {
      const dead = spawnSync(process.execPath, ["-e", "console.log(process.pid)"]).stdout.toString().trim();
      const claims = [
        `{"pid":${dead},"startedAt":"1"}`,
        `{"pid":${process.pid},"startedAt":"1"}`,
        "",
        "{}",
        "null",
      ];
      for (const claim of claims) {
        const { workspace, path } = writeLog([runStarted()]);
        writeFileSync(join(path, "writer.json"), claim);
        goOn(workspace, [runFinished()]);
        expect([verifyLog(path).whole, existsSync(join(path, "writer.json"))]).toEqual([true, false]);
      }
    });
  });
});

// What the log costs for each event, against writing the same lines with nothing else.
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { EventWriter } from "../../dist/src/events/event-writer.js";
import { LlmTokenEvent } from "../../dist/src/events/run-event.js";
import { withScratch } from "../lib/scratch.mjs";
import { ratioOf } from "../lib/turns.mjs";

const LINE_BYTES = 1_000;
const text = "x".repeat(LINE_BYTES - 210);

const stampedOf = (seq) => ({
  stamp: { v: 1, seq, ts: "2026-07-22T18:20:00.000Z", run_id: "20260722-182000-a1b2c3" },
  event: new LlmTokenEvent({ step: 1, text }),
});

function timed(count, write) {
  const startedAt = performance.now();
  for (let seq = 1; seq <= count; seq += 1) write(seq);
  return ((performance.now() - startedAt) * 1_000) / count;
}

function throughWriter(workspace, runId, { fsync, count }) {
  const writer = EventWriter.create({ workspace, runId, fsync });
  const us = timed(count, (seq) => writer.onEvent(stampedOf(seq)));
  writer.close();
  return { path: writer.path, us };
}

function bare(path, count, lineOf) {
  const fd = openSync(path, "ax");
  const us = timed(count, (seq) => writeSync(fd, lineOf(seq)));
  closeSync(fd);
  return us;
}

export function measure({ quick }) {
  const count = quick ? 4_000 : 20_000;
  return withScratch((folder) => {
    const rounds = { ready: [], made: [], ours: [] };
    for (let round = -1; round < (quick ? 5 : 11); round += 1) {
      const { path, us } = throughWriter(folder, `r-${round + 1}`, { fsync: "none", count });
      const fields = JSON.parse(readFileSync(path, "utf8").split("\n", 1)[0]);
      const line = Buffer.from(`${JSON.stringify(fields)}\n`);
      const made = bare(join(folder, "made"), count, (seq) => `${JSON.stringify({ ...fields, seq })}\n`);
      const ready = bare(join(folder, "ready"), count, () => line);
      if (round >= 0) {
        rounds.ours.push(us);
        rounds.made.push(made);
        rounds.ready.push(ready);
      }
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    }
    const synced = throughWriter(folder, "synced", { fsync: "event", count: 300 }).us;
    const of = (against, base) =>
      ratioOf({
        what: "an event of 1 KB in the log, hash chain included",
        against,
        unit: "µs",
        goal: { max: 1.5 },
        limit: "making the JSON and one SHA-256 of 1 KB cost more than the system call",
        base,
        ours: rounds.ours,
      });
    return {
      measures: [
        of("`JSON.stringify` and `writeSync`", rounds.made),
        of("`writeSync` of ready bytes", rounds.ready),
      ],
      notes: [`With a sync for each event (\`--fsync event\`): ${synced.toFixed(0)} µs an event.`],
    };
  });
}

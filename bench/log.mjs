// What the log costs per event, against writing the same bytes with nothing else. A and B take turns in one run.
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EventWriter } from "../dist/src/events/event-writer.js";
import { LlmTokenEvent } from "../dist/src/events/run-event.js";

const EVENTS = 20_000;
const ROUNDS = 9;
const folder = mkdtempSync(join(tmpdir(), "ruizn-bench-log-"));
const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const stampedOf = (seq, text) => ({
  stamp: { v: 1, seq, ts: "2026-07-22T18:20:00.000Z", run_id: "20260722-182000-a1b2c3" },
  event: new LlmTokenEvent({ step: 1, text }),
});

function throughWriter(runId, text, fsync, count) {
  const writer = EventWriter.create({ workspace: folder, runId, fsync });
  const start = process.hrtime.bigint();
  for (let seq = 1; seq <= count; seq++) writer.onEvent(stampedOf(seq, text));
  const ns = Number(process.hrtime.bigint() - start);
  writer.close();
  return { path: writer.path, us: ns / 1000 / count };
}

/** The floor: the same lines, made by JSON.stringify and written with writeSync. */
function bare(name, fields, count, stringify) {
  const fd = openSync(
    join(folder, name),
    constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  );
  const ready = `${JSON.stringify(fields)}\n`;
  const start = process.hrtime.bigint();
  for (let seq = 1; seq <= count; seq++) {
    writeSync(fd, stringify ? `${JSON.stringify(Object.assign({}, fields, { seq }))}\n` : ready);
  }
  const ns = Number(process.hrtime.bigint() - start);
  closeSync(fd);
  return ns / 1000 / count;
}

console.log(`node ${process.version}, ${EVENTS} events a round, median of ${ROUNDS} rounds, in ${tmpdir()}`);
console.log(
  "| line | writeSync alone µs | stringify + writeSync µs | EventWriter µs | ratio to stringify + writeSync |",
);
console.log("|---|---|---|---|---|");
for (const size of [300, 1_000, 8_000]) {
  const text = "x".repeat(size - 210);
  const rounds = { write: [], floor: [], writer: [], ratio: [] };
  let length = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const { path, us } = throughWriter(`w-${size}-${round}`, text, "none", EVENTS);
    const fields = JSON.parse(readFileSync(path, "utf8").split("\n", 1)[0]);
    length = JSON.stringify(fields).length + 1;
    const floor = bare(`f-${size}-${round}`, fields, EVENTS, true);
    rounds.write.push(bare(`b-${size}-${round}`, fields, EVENTS, false));
    rounds.floor.push(floor);
    rounds.writer.push(us);
    rounds.ratio.push(us / floor);
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
  }
  const [write, floor, writer, ratio] = Object.values(rounds).map(median);
  console.log(
    `| ${length} B | ${write.toFixed(1)} | ${floor.toFixed(1)} | ${writer.toFixed(1)} | ${ratio.toFixed(2)} |`,
  );
}
console.log("\n| fsync | µs/event |\n|---|---|");
for (const [fsync, count] of [
  ["none", 5_000],
  ["event", 500],
]) {
  console.log(`| ${fsync} | ${throughWriter(`s-${fsync}`, "x".repeat(790), fsync, count).us.toFixed(1)} |`);
}
rmSync(folder, { recursive: true, force: true });

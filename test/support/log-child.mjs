// Publishes events as fast as it can and reports each on stdout after publish has returned.
// Arguments: workspace, number of events, bytes of text in each, fsync mode.
import { writeSync } from "node:fs";
import { EventBus } from "../../dist/src/events/event-bus.js";
import { EventWriter } from "../../dist/src/events/event-writer.js";
import { LlmTokenEvent, StepFinishedEvent, StepStartedEvent } from "../../dist/src/events/run-event.js";

const [workspace, count, size, fsync] = process.argv.slice(2);
const runId = "20260722-182000-a1b2c3";
try {
  const bus = new EventBus({ runId });
  bus.subscribe(EventWriter.create({ workspace, runId, fsync }));
  for (let seq = 1; seq <= Number(count); seq++) {
    const step = Math.ceil(seq / 50);
    if (seq % 50 === 1) bus.publish(new StepStartedEvent({ step }));
    else if (seq % 50 === 0) bus.publish(new StepFinishedEvent({ step, duration_ms: 1, status: "ok" }));
    else bus.publish(new LlmTokenEvent({ step, text: "x".repeat(Number(size)) }));
    writeSync(1, `${seq}\n`);
  }
} catch (error) {
  writeSync(2, JSON.stringify({ code: error.code, message: error.message }));
  process.exitCode = 60;
}

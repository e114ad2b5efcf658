import { expect, test } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import { JsonPrinter } from "../../src/events/json-printer.ts";
import { LlmTokenEvent } from "../../src/events/run-event.ts";

test("one event a line, with the stamp first; separators inside a text stay inside their line", () => {
  const lines: string[] = [];
  const bus = new EventBus({ runId: "r", now: () => new Date("2026-07-22T18:20:00.123Z") });
  bus.subscribe(new JsonPrinter({ write: (text) => lines.push(text) }));
  bus.publish(new LlmTokenEvent({ step: 1, text: "a\n\u2028b" }));
  expect(lines).toEqual([
    '{"v":1,"seq":1,"ts":"2026-07-22T18:20:00.123Z","run_id":"r","type":"llm.token","step":1,"text":"a\\n\u2028b"}\n',
  ]);
});

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { InSections } from "../../../src/cli/ci/in-sections.ts";
import { ProgressNotes } from "../../../src/cli/ci/progress-notes.ts";
import { EventBus } from "../../../src/events/event-bus.ts";
import { StepFinishedEvent, StepStartedEvent } from "../../../src/events/run-event.ts";
import { runFinished, runStarted } from "../../support/sample-log.ts";

test("a run that goes on says so every so often, in one line, and not after its end", async () => {
  const lines: string[] = [];
  const bus = new EventBus({ runId: "r" });
  bus.subscribe(new ProgressNotes({ out: { write: (text) => void lines.push(text) }, everyMs: 20 }));
  bus.publish(runStarted());
  bus.publish(new StepStartedEvent({ step: 1 }));
  while (lines.length < 2) await sleep(5);
  bus.publish(runFinished());
  const told = lines.length;
  expect(lines[0]).toBe("[run] still going after 0 s: steps 1, tool calls 0, tokens 0\n");
  await sleep(60);
  expect(lines).toHaveLength(told);
});

test.each([
  ["github" as const, ["::group::step 1", "step.started", "step.finished", "::endgroup::"]],
  [
    "gitlab" as const,
    [
      "\u001b[0Ksection_start:7:ruizn_step_1[collapsed=true]\r\u001b[0Kstep 1",
      "step.started",
      "step.finished",
      "\u001b[0Ksection_end:7:ruizn_step_1\r\u001b[0K",
    ],
  ],
])("on %s a step is a section around what the printer says of it", (platform, expected) => {
  const told: string[] = [];
  const printer = {
    name: "p",
    onEvent: ({ event }: { event: { type: string } }) => void told.push(event.type),
  };
  const sink = { command: (line: string) => void told.push(line) };
  const bus = new EventBus({ runId: "r" });
  bus.subscribe(new InSections(printer, { sink, platform, now: () => 7999 }));
  bus.publish(new StepStartedEvent({ step: 1 }));
  bus.publish(new StepFinishedEvent({ step: 1, duration_ms: 1, status: "ok" }));
  expect(told).toEqual(expected);
});

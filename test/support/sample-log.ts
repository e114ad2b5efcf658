import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import { EventWriter, type FsyncMode } from "../../src/events/event-writer.ts";
import {
  LlmResponseEvent,
  LlmTokenEvent,
  type RunEvent,
  RunFinishedEvent,
  RunStartedEvent,
  StepFinishedEvent,
  StepStartedEvent,
  ToolCallFinishedEvent,
  ToolCallStartedEvent,
} from "../../src/events/run-event.ts";
import { NO_USAGE } from "../../src/messages.ts";

export const SAMPLE_RUN_ID = "20260722-182000-a1b2c3";

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ruizn-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const usage = { ...NO_USAGE, input_tokens: 7, output_tokens: 3 };

export const runStarted = (goal = "Read README.md") =>
  new RunStartedEvent({
    version: "0.1.0",
    goal,
    provider: "offline",
    model: "offline",
    workspace: "/srv/app",
    tools: ["read_file"],
    limits: { max_steps: 50 },
    policy_hash: "p",
    settings_hash: "s",
    isolation: "thread",
    seal: { state: "held", landlock_abi: 7, seccomp: true, escaped: [] },
    system: "You are an agent.",
  });

export const runFinished = () =>
  new RunFinishedEvent({
    status: "success",
    terminal_reason: "completed",
    stop_reason: "end_turn",
    steps: 1,
    duration_ms: 12,
    duration_api_ms: 9,
    total_usage: usage,
    result: "done",
    errors: [],
  });

export const token = (text: string, step = 1) => new LlmTokenEvent({ step, text });

export const response = (content: LlmResponseEvent["content"], step = 1) =>
  new LlmResponseEvent({
    step,
    id: `msg_${step}`,
    model: "offline",
    stop_reason: "end_turn",
    content,
    cut_tool_uses: 0,
    usage,
    total_usage: usage,
    time_to_first_token_ms: 1,
    duration_ms: 2,
  });

export const callStarted = (call_id: string, input: unknown = { path: "README.md" }, step = 1) =>
  new ToolCallStartedEvent({ step, call_id, name: "read_file", input, read_only: true });

export const callFinished = (call_id: string, text: string, step = 1) =>
  new ToolCallFinishedEvent({
    step,
    call_id,
    name: "read_file",
    is_error: false,
    error_type: null,
    duration_ms: 3,
    bytes_shown: Buffer.byteLength(text),
    bytes_total: Buffer.byteLength(text),
    truncated: false,
    content: [{ type: "text", text }],
    data: {},
    isolation: "thread",
    seal: "held",
  });

/** One of each kind that matters to the log, with text that is hard on line splitters. */
export const SAMPLE_EVENTS: readonly RunEvent[] = [
  runStarted(),
  new StepStartedEvent({ step: 1 }),
  token("line\nfeed \u2028 \u2029 \u0000 \ud83d\ude00 \ud800 end"),
  response([{ type: "tool_use", id: "t1", name: "read_file", input: { path: "README.md" } }]),
  callStarted("t1"),
  callFinished("t1", "# Title\r\n"),
  new StepFinishedEvent({ step: 1, duration_ms: 5, status: "ok" }),
  runFinished(),
];

export interface SampleLog {
  workspace: string;
  /** The run's folder. */
  path: string;
  file: string;
}

/** Writes a real log of these events. */
export function writeLog(
  events: readonly RunEvent[] = SAMPLE_EVENTS,
  options: { fsync?: FsyncMode } = {},
): SampleLog {
  const workspace = temporaryFolder();
  const bus = new EventBus({ runId: SAMPLE_RUN_ID, now: () => new Date(0) });
  const writer = EventWriter.create({ workspace, runId: SAMPLE_RUN_ID, fsync: options.fsync ?? "none" });
  bus.subscribe(writer);
  for (const event of events) bus.publish(event);
  writer.close();
  const path = join(workspace, ".ruizn", "runs", SAMPLE_RUN_ID);
  return { workspace, path, file: join(path, "events.jsonl") };
}

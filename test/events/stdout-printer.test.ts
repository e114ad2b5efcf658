import { expect, test } from "vitest";
import { EventBus } from "../../src/events/event-bus.ts";
import {
  GuardViolationEvent,
  LlmRetryEvent,
  LlmThinkingEvent,
  LlmTokenEvent,
  LlmWithdrawnEvent,
  type RunEvent,
  RunFinishedEvent,
  RunStartedEvent,
  type SealReport,
  StepFinishedEvent,
  StepStartedEvent,
  ToolCallFinishedEvent,
  ToolCallStartedEvent,
} from "../../src/events/run-event.ts";
import { StdoutPrinter, type StdoutPrinterOptions } from "../../src/events/stdout-printer.ts";
import { NO_USAGE } from "../../src/messages.ts";

const HELD: SealReport = { state: "held", landlock_abi: 7, seccomp: true, escaped: [] };

function started(seal: SealReport = HELD): RunEvent {
  return new RunStartedEvent({
    version: "0.1.0",
    goal: "goal",
    provider: "anthropic",
    model: "some-model",
    workspace: "/w",
    tools: ["read_file"],
    limits: {},
    policy_hash: "",
    settings_hash: "",
    isolation: "thread",
    seal,
    system: "",
  });
}

function finished(fields: Partial<RunFinishedEvent> = {}): RunEvent {
  return new RunFinishedEvent({
    status: "success",
    terminal_reason: "completed",
    stop_reason: "end_turn",
    steps: 2,
    duration_ms: 1517,
    duration_api_ms: 1200,
    total_usage: NO_USAGE,
    result: "It is about tea.",
    errors: [],
    ...fields,
  });
}

function call(input: unknown): RunEvent {
  return new ToolCallStartedEvent({ step: 1, call_id: "c1", name: "read_file", input });
}

function result(fields: Partial<ToolCallFinishedEvent> = {}): RunEvent {
  return new ToolCallFinishedEvent({
    step: 1,
    call_id: "c1",
    name: "read_file",
    is_error: false,
    error_type: null,
    duration_ms: 3.2,
    bytes_shown: 4198,
    bytes_total: 4198,
    truncated: false,
    content: [{ type: "text", text: "tea" }],
    data: {},
    isolation: "thread",
    seal: "held",
    ...fields,
  });
}

const tokens = (step: number, ...texts: string[]) => texts.map((text) => new LlmTokenEvent({ step, text }));
const step = (number: number) => new StepStartedEvent({ step: number });
const stepEnd = (number: number) => new StepFinishedEvent({ step: number, duration_ms: 1, status: "ok" });

const RUN: RunEvent[] = [
  started(),
  step(1),
  ...tokens(1, "I'll read", " the file."),
  call({ path: "README.md" }),
  result(),
  stepEnd(1),
  step(2),
  ...tokens(2, "It is ", "about tea."),
  stepEnd(2),
  finished(),
];

function print(events: RunEvent[], options: Partial<StdoutPrinterOptions> = {}) {
  const shown = { answer: "", notes: "", screen: "" };
  const sink = (name: "answer" | "notes") => ({
    write(text: string) {
      shown[name] += text;
      shown.screen += text;
    },
  });
  const bus = new EventBus({ runId: "20260722-182000-a1b2c3" });
  bus.subscribe(
    new StdoutPrinter({
      layout: "transcript",
      level: "normal",
      color: false,
      ...options,
      answer: sink("answer"),
      notes: sink("notes"),
    }),
  );
  for (const event of events) bus.publish(event);
  return shown;
}

test("one screen: the transcript, no tool line sticks to a half-written line", () => {
  expect(print(RUN).screen).toBe(`[run] 20260722-182000-a1b2c3 started
I'll read the file.
[tool] read_file {"path": "README.md"}
[tool] read_file ok 4.1 KB 3 ms
It is about tea.
[run] success 2 steps 1.5s
`);
});

test("answer on a pipe of its own: the answer alone, and all the rest in the notes", () => {
  expect(print(RUN, { layout: "split" })).toMatchObject({
    answer: "It is about tea.\n",
    notes: `[run] 20260722-182000-a1b2c3 started
I'll read the file.
[tool] read_file {"path": "README.md"}
[tool] read_file ok 4.1 KB 3 ms
[run] success 2 steps 1.5s
`,
  });
});

test("the answer on a pipe is the model's own text, unaltered", () => {
  const text = "\u001b[1mbold\u001b[0m \u202e";
  const { answer } = print([step(1), ...tokens(1, text), finished({ result: text })], { layout: "split" });
  expect(answer).toBe(`${text}\n`);
});

test("machine formats: no answer here, quiet: warnings only", () => {
  expect(print(RUN, { layout: "notes" }).answer).toBe("");
  expect(print(RUN, { layout: "split", level: "quiet" })).toMatchObject({
    answer: "It is about tea.\n",
    notes: "",
  });
});

test("a seal that does not hold is said, even when quiet", () => {
  const events = [started({ ...HELD, state: "unavailable", reason: "no Landlock" })];
  expect(print(events, { level: "quiet" }).screen).toBe("[run] seal unavailable: no Landlock\n");
});

test("withdrawn text is marked on a screen and never becomes the answer on a pipe", () => {
  const events = [
    step(1),
    ...tokens(1, "It is about cof"),
    new LlmWithdrawnEvent({ step: 1, chars: 15, reason: "the stream broke off" }),
    ...tokens(1, "It is about tea."),
    finished(),
  ];
  expect(print(events).screen).toBe(`It is about cof
[llm] the last 15 characters above are withdrawn: the stream broke off
It is about tea.
[run] success 2 steps 1.5s
`);
  const { answer, notes } = print(events, { layout: "split" });
  expect(answer).toBe("It is about tea.\n");
  expect(notes).toBe("[llm] a response broke off: the stream broke off\n[run] success 2 steps 1.5s\n");
});

test("tool failures, truncation, retries and violations, each on one line", () => {
  const events = [
    call({ path: "a\nb", list: [1, { deep: true }], empty: {} }),
    result({
      is_error: true,
      error_type: "not_found",
      content: [{ type: "text", text: "not_found: read_file: there is no\nfile \u001b[2J" }],
      duration_ms: 1500,
    }),
    result({ truncated: true, bytes_shown: 51_200, bytes_total: 5_000_000 }),
    new LlmRetryEvent({
      step: 1,
      attempt: 1,
      max_attempts: 6,
      delay_ms: 2000,
      code: "overloaded",
      message: "529",
    }),
    new GuardViolationEvent({ step: 1, call_id: "c1", name: "read_file", check: "nonce", detail: "forged" }),
    finished({ status: "error", terminal_reason: "max_steps", steps: 1 }),
  ];
  expect(
    print(events).screen,
  ).toBe(`[tool] read_file {"path": "a\\nb", "list": [1, {"deep": true}], "empty": {}}
[tool] read_file error not_found there is no\\nfile \\x1b[2J 1.5 s
[tool] read_file ok 50.0 KB of 4.8 MB (truncated) 3 ms
[llm] retry 1 of 6 in 2.0 s: overloaded 529
[guard] read_file result rejected: nonce forged
[run] error max_steps 1 step 1.5s
`);
});

test("a long input is cut, also in the middle of a surrogate pair, and stays one line", () => {
  const { screen } = print([call({ content: `${"x".repeat(186)}👍👍👍${"\n".repeat(9999)}` })]);
  expect(screen).toMatch(/^\[tool\] read_file \{"content": "x+…\n$/);
});

test("escape sequences of the model are shown, not sent, also when they come in two pieces", () => {
  expect(print([step(1), ...tokens(1, "a\u001b", "[2Jb\r", "\nc"), finished()]).screen).toBe(
    "a\\x1b[2Jb\nc\n[run] success 2 steps 1.5s\n",
  );
});

test("thinking is shown only on request, apart from the answer", () => {
  const events = [
    step(1),
    new LlmThinkingEvent({ step: 1, text: "hm, " }),
    new LlmThinkingEvent({ step: 1, text: "tea" }),
    ...tokens(1, "Tea."),
    finished(),
  ];
  expect(print(events).screen).toBe("Tea.\n[run] success 2 steps 1.5s\n");
  expect(print(events, { level: "verbose" }).screen).toBe(
    "[thinking] hm, tea\nTea.\n[run] success 2 steps 1.5s\n",
  );
});

test("colour goes on our own words only", () => {
  expect(print([finished()], { color: true }).screen).toBe(
    "\u001b[2m[run]\u001b[22m \u001b[32msuccess 2 steps 1.5s\u001b[39m\n",
  );
});

import { readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planClearing, turnStart } from "../../src/context/clear-plan.ts";
import { ExecutionContext } from "../../src/context/execution-context.ts";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import {
  ContextClearedEvent,
  ContextSummarisedEvent,
  type RunEvent,
  StepFinishedEvent,
  StepStartedEvent,
  type ToolCallFinishedEvent,
  ToolCallStartedEvent,
  UserTextEvent,
} from "../../src/events/run-event.ts";
import { rebuild } from "../../src/log/rebuild.ts";
import {
  type AssistantBlock,
  isToolUse,
  NO_USAGE,
  toolResultBlock,
  type ToolUseBlock,
} from "../../src/messages.ts";
import {
  callFinished,
  callStarted,
  response,
  runFinished,
  runStarted,
  SAMPLE_RUN_ID,
  token,
  writeLog,
} from "../support/sample-log.ts";

interface Call {
  isError: boolean;
  readOnly: boolean;
  text: string;
  /** Where among the turn's calls it finishes. */
  order: number;
}

/** One step of a made-up run: what the model says, how its calls end, and what the loop says after. */
interface Step {
  blocks: AssistantBlock[];
  calls: Call[];
  say: string | undefined;
  /** What is done before the model is asked, so that the conversation fits. */
  edit: { clear: boolean; summarise: boolean; keepTurns: number };
}

/** What a live run knows between two events. */
interface Snapshot {
  messages: unknown;
  usage: unknown;
  step: number;
  open: string[];
  answered: string[];
  openStep: number | undefined;
  finished: boolean;
}

const json = (value: unknown) => JSON.parse(JSON.stringify(value));

/** Does what the loop does with the same script, and notes after each event what it knew. */
class LiveRun {
  static cleared = 0;
  static summaries = 0;
  readonly events: RunEvent[] = [];
  readonly snapshots: Snapshot[] = [];
  readonly #context = new ExecutionContext({ goal: "the goal", runId: SAMPLE_RUN_ID });
  #started = new Map<string, boolean>();
  #answered: string[] = [];
  #openStep: number | undefined;
  #finished = false;

  play(steps: Step[]): this {
    this.#publish(runStarted("the goal"));
    for (const [index, step] of steps.entries()) this.#step(step, index + 1);
    this.#finished = true;
    this.#publish(runFinished());
    return this;
  }

  #step({ blocks, calls, say, edit }: Step, step: number): void {
    this.#context.beginStep();
    this.#openStep = step;
    this.#publish(new StepStartedEvent({ step }));
    this.#edit(edit, step);
    this.#publish(token("a token", step));
    const content = blocks.map((block, i) => (isToolUse(block) ? { ...block, id: `t${step}-${i}` } : block));
    const asked = response(content, step);
    this.#publish(asked, () => void this.#context.addResponse(content, asked.usage));
    this.#runCalls(this.#context.openToolUses(), calls, step);
    if (say !== undefined) {
      this.#publish(new UserTextEvent({ step, text: say }), () => this.#context.addUserText(say));
    }
    this.#openStep = undefined;
    this.#publish(new StepFinishedEvent({ step, duration_ms: 1, status: "ok" }));
  }

  #edit({ clear, summarise, keepTurns }: Step["edit"], step: number): void {
    const { messages } = this.#context;
    const size = { tokens_before: 2, tokens_after: 1 };
    const plan = { bytes: Number.POSITIVE_INFINITY, keepTurns, isReadOnly: () => true };
    const { cleared } = planClearing(messages, plan);
    if (clear && cleared.length > 0) {
      LiveRun.cleared += cleared.length;
      const event = new ContextClearedEvent({ step, cleared, ...size });
      this.#publish(event, () => this.#context.clearToolResults(cleared));
    }
    const end = turnStart(messages, keepTurns);
    if (!summarise || end === undefined || messages[end]?.role !== "assistant") return;
    LiveRun.summaries += 1;
    const usage = { ...NO_USAGE, input_tokens: 11 };
    const fields = { step, messages: end - 1, text: `summary ${step}`, model: "m", usage, duration_ms: 1 };
    const event = new ContextSummarisedEvent({ ...fields, ...size });
    this.#publish(event, () => this.#context.summarise(event));
  }

  #runCalls(uses: ToolUseBlock[], calls: Call[], step: number): void {
    const planned = uses.map((use, i) => ({ use, call: calls[i] as Call }));
    for (const { use, call } of planned) {
      this.#started.set(use.id, call.readOnly);
      const { id: call_id, name, input } = use;
      this.#publish(new ToolCallStartedEvent({ step, call_id, name, input, read_only: call.readOnly }));
    }
    const results = planned.map(({ use, call }) =>
      toolResultBlock(use.id, { content: [{ type: "text", text: call.text }], isError: call.isError }),
    );
    for (const { use, call } of planned.toSorted((a, b) => a.call.order - b.call.order)) {
      const { isError, text } = call;
      this.#answered.push(use.id);
      const finished = Object.assign(callFinished(use.id, text, step), {
        is_error: isError,
        error_type: isError ? "not_found" : null,
      }) as ToolCallFinishedEvent;
      this.#publish(finished, () => {
        if (this.#answered.length < planned.length) return;
        this.#context.addToolResults(results);
        this.#answered = [];
      });
    }
    this.#started = new Map();
  }

  #publish(event: RunEvent, then?: () => void): void {
    this.events.push(event);
    then?.();
    const context = this.#context;
    this.snapshots.push(
      json({
        messages: context.messages,
        usage: context.usage,
        step: context.step,
        open: context
          .openToolUses()
          .filter(({ id }) => !this.#answered.includes(id))
          .map(({ id }) => `${id} ${this.#started.has(id)} ${this.#started.get(id) ?? false}`),
        answered: this.#answered,
        openStep: this.#openStep,
        finished: this.#finished,
      }),
    );
  }
}

function snapshotOf(rebuilt: ReturnType<typeof rebuild>): Snapshot {
  const { context, open, answered, openStep, finished } = rebuilt;
  return json({
    messages: context.messages,
    usage: context.usage,
    step: context.step,
    open: open.map(({ use, state, readOnly }) => `${use.id} ${state === "interrupted"} ${readOnly}`),
    answered: answered.map((block) => block.tool_use_id),
    openStep,
    finished: finished !== undefined,
  });
}

const toolUse = fc.record({
  type: fc.constant("tool_use" as const),
  id: fc.constant(""),
  name: fc.constantFrom("read_file", "write_file"),
  input: fc.oneof(
    fc.dictionary(fc.string(), fc.jsonValue()),
    fc.constant({ $blob: "x", bytes: 1 }),
    fc.constant({ content: "x".repeat(70_000) }),
  ),
});
const block: fc.Arbitrary<AssistantBlock> = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text: fc.string({ unit: "binary" }) }),
  fc.record({ type: fc.constant("thinking" as const), thinking: fc.string(), signature: fc.string() }),
  fc.record({ type: fc.constant("server_thing"), payload: fc.json() }),
  toolUse,
);

const callOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Call> =>
  fc.record({ isError: fc.boolean(), readOnly: fc.boolean(), text, order: fc.nat(100) });

const stepOf = (blocks: fc.Arbitrary<AssistantBlock[]>, call: fc.Arbitrary<Call>): fc.Arbitrary<Step> =>
  fc.record({
    blocks,
    calls: fc.array(call, { minLength: 5, maxLength: 5 }),
    edit: fc.record({
      clear: fc.boolean(),
      summarise: fc.boolean(),
      keepTurns: fc.integer({ min: 0, max: 2 }),
    }),
    say: fc.option(fc.string({ minLength: 1 }), { nil: undefined }),
  });

const steps = fc.array(
  stepOf(
    fc.array(block, { maxLength: 5 }),
    callOf(fc.oneof(fc.string({ minLength: 1 }), fc.constant("é".repeat(40_000)))),
  ),
  { maxLength: 5 },
);

/** Many turns of calls with results that are worth clearing. */
const busySteps = fc.array(
  stepOf(fc.array(toolUse, { minLength: 1, maxLength: 3 }), callOf(fc.constant("a line\n".repeat(300)))),
  { minLength: 3, maxLength: 8 },
);

/** After each line of the log, as if the run had been killed there. @returns how many there were. */
function compareAtEveryLine(script: Step[]): number {
  const live = new LiveRun().play(script);
  const { path, file } = writeLog(live.events);
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  for (let kept = 1; kept <= lines.length; kept++) {
    // What a kill leaves: whole lines and a piece of the next one.
    const torn = (lines[kept] ?? "").slice(0, 40);
    writeFileSync(file, `${lines.slice(0, kept).join("\n")}\n${torn}`);
    expect(snapshotOf(rebuild(eventsOf(readEvents(path))))).toEqual(live.snapshots[kept - 1]);
  }
  return lines.length;
}

describe("rebuild", () => {
  it("knows after any line of the log what the live run knew after that event", () => {
    let cuts = 0;
    fc.assert(
      fc.property(steps, (script) => void (cuts += compareAtEveryLine(script))),
      { numRuns: 60 },
    );
    console.log(`cuts compared with the live run: ${cuts}`);
  });

  it("knows so also where results were cleared and turns summarised", () => {
    let cuts = 0;
    [LiveRun.cleared, LiveRun.summaries] = [0, 0];
    fc.assert(
      fc.property(busySteps, (script) => void (cuts += compareAtEveryLine(script))),
      { numRuns: 30 },
    );
    const { cleared, summaries } = LiveRun;
    console.log(`cuts compared: ${cuts}; results cleared: ${cleared}, summaries: ${summaries}`);
    expect(Math.min(cleared, summaries)).toBeGreaterThan(10);
  });

  const stamped = (events: RunEvent[]) =>
    events.map((event, i) => ({ stamp: { v: 1 as const, seq: i + 1, ts: "t", run_id: "r" }, event }));

  it("forgets an end that the run went on after", () => {
    const rebuilt = rebuild(stamped([runStarted(), runFinished(), runStarted()]));
    expect([rebuilt.finished, rebuilt.context.messages.length]).toEqual([undefined, 1]);
  });

  it("takes a call that does not say it only reads for one that may have written", () => {
    const started = callStarted("t1");
    delete started.read_only;
    const use: ToolUseBlock = { type: "tool_use", id: "t1", name: "read_file", input: {} };
    const rebuilt = rebuild(stamped([runStarted(), response([use]), started]));
    expect(rebuilt.open).toEqual([{ use, state: "interrupted", readOnly: false, starts: 1 }]);
  });

  it("leaves calls that no response asked for out of the conversation", () => {
    const rebuilt = rebuild(stamped([runStarted(), callStarted("t1"), callFinished("t1", "x")]));
    expect([rebuilt.open, rebuilt.answered, rebuilt.context.messages.length]).toEqual([[], [], 1]);
  });

  it("names the event that does not fit", () => {
    const use: ToolUseBlock = { type: "tool_use", id: "t1", name: "read_file", input: {} };
    const cases: [RunEvent[], string][] = [
      [[token("a")], "event 1 of run r does not fit its log: it begins with llm.token"],
      [
        [runStarted(), response([use]), response([use])],
        "event 3 of run r does not fit its log: 1 tool uses are not answered yet",
      ],
      [[runStarted(" ")], "event 1 of run r does not fit its log: the goal is empty"],
      [[], "the log holds no event"],
    ];
    for (const [events, message] of cases) {
      expect(() => rebuild(stamped(events))).toThrow(
        expect.objectContaining({ code: "input_invalid", message }),
      );
    }
  });

  it("refuses events with fields of a wrong type instead of going on with them", () => {
    const broken = Object.assign(response([]), { content: "text" });
    expect(() => rebuild(stamped([runStarted(), broken as RunEvent]))).toThrow("does not fit its log");
  });
});

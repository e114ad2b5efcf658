import { expect, it } from "vitest";
import { Budget, type BudgetLimits } from "../../src/budget/budget.ts";
import { EventBus } from "../../src/events/event-bus.ts";
import type { Message, Usage } from "../../src/messages.ts";

const USAGE: Usage = {
  input_tokens: 1_000,
  output_tokens: 500,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
};

function busAndEvents() {
  const bus = new EventBus({ runId: "r" });
  const events: unknown[] = [];
  bus.subscribe({ name: "test", onEvent: ({ event }) => void events.push({ ...event }) });
  return { bus, events };
}

function setUp(limits: BudgetLimits, model = "claude-opus-5-5") {
  const { bus, events } = busAndEvents();
  return { budget: new Budget({ limits, model, bus }), events };
}

const message = (chars: number): Message => ({
  role: "user",
  content: [{ type: "text", text: "x".repeat(chars) }],
});
const use = (id: string, input: unknown) => ({ type: "tool_use" as const, id, name: "read_file", input });

it("lets everything pass when nothing is limited", () => {
  const { budget, events } = setUp({}, "some-local-model");
  expect(budget.beforeRequest([message(1_000_000)], 4_096)).toBe(4_096);
  budget.afterResponse(USAGE);
  budget.beforeCalls([use("a", {}), use("b", {})]);
  expect(budget.costUsd).toBeNull();
  expect(events).toEqual([]);
});

it("gives a step as long as there are some, and warns once, of those of an earlier part of the run too", () => {
  const { bus, events } = busAndEvents();
  const budget = new Budget({ limits: {}, steps: 5, model: "m", bus });
  budget.recall([{ kind: "step" }, { kind: "step" }]);
  expect([1, 2, 3, 4].map(() => budget.beforeStep())).toEqual([true, true, true, false]);
  expect(events).toEqual([
    { type: "budget.warning", budget: "steps", used: 4, limit: 5 },
    { type: "budget.exceeded", budget: "steps", used: 5, limit: 5 },
  ]);
});

it("lowers the output tokens to what is left, and stops before a request that does not fit", () => {
  const { budget, events } = setUp({ totalTokens: 3_000 });
  expect(budget.beforeRequest([message(300)], 4_096)).toBeLessThan(3_000);
  budget.afterResponse(USAGE);
  expect(budget.beforeRequest([message(300)], 4_096)).toBe(500);
  budget.afterResponse({ ...USAGE, output_tokens: 200 });
  expect(() => budget.beforeRequest([message(300)], 4_096)).toThrow(/totalTokens of 3000/);
  expect(events).toEqual([
    { type: "budget.warning", budget: "totalTokens", used: 2_700, limit: 3_000 },
    { type: "budget.exceeded", budget: "totalTokens", used: 2_700, limit: 3_000 },
  ]);
});

it("counts dollars and refuses the request that could not be paid", () => {
  const { budget } = setUp({ usd: 0.02 });
  expect(budget.beforeRequest([message(300)], 100_000)).toBeLessThan(1_000);
  budget.afterResponse(USAGE);
  expect(budget.costUsd).toBeCloseTo(0.014, 10);
  expect(() => budget.beforeRequest([message(30_000)], 4_096)).toThrow(/usd of 0.02/);
});

it("refuses a dollar budget for a model without a price", () => {
  expect(() => setUp({ usd: 1 }, "llama-4")).toThrow(/no price is known for model llama-4/);
});

it.each([0, -1, Number.NaN])("refuses a limit of %s", (limit) => {
  expect(() => setUp({ toolCalls: limit })).toThrow(/budget toolCalls/);
});

it("stops before a turn with more tool calls than are left", () => {
  const { budget } = setUp({ toolCalls: 3 });
  budget.beforeCalls([use("a", 1), use("b", 2)]);
  expect(() => budget.beforeCalls([use("c", 3), use("d", 4)])).toThrow(/toolCalls of 3 .*used: 2/);
});

it("stops a call that repeats itself too often, and lets other inputs pass", () => {
  const { budget } = setUp({ repeatedCalls: 2 });
  budget.beforeCalls([use("a", { path: "x" }), use("b", { path: "y" })]);
  budget.beforeCalls([use("c", { path: "x" })]);
  expect(() => budget.beforeCalls([use("d", { path: "x" })])).toThrow(/repeatedCalls of 2/);
});

it("counts every byte of every request against bytesSent", () => {
  const { budget } = setUp({ bytesSent: 2_500 });
  const first = message(1_000);
  budget.beforeRequest([first], 256);
  expect(() => budget.beforeRequest([first, message(1_000)], 256)).toThrow(/bytesSent of 2500/);
});

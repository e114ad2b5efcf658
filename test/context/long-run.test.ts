import { describe, expect, it } from "vitest";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import { rebuild } from "../../src/log/rebuild.ts";
import { apiError, type DoubleRequest, text, turn } from "../../src/testing.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { type LoggedEvent, runAgent } from "../support/run-agent.ts";

/** The full length is 500: `RUIZN_TEST_STEPS=500 npx vitest run test/context/long-run.test.ts`. */
const STEPS = Number(process.env["RUIZN_TEST_STEPS"] ?? 120);
const KB40 = "0123456789abcdef".repeat(2_560);
const SUMMARY = "SUMMARY: the goal is to read on; nothing else was found.";

const inputOf = ({ inputUsage }: DoubleRequest): number =>
  inputUsage
    ? inputUsage.input_tokens + inputUsage.cache_read_input_tokens + inputUsage.cache_creation_input_tokens
    : 0;
const asksForSummary = ({ body }: DoubleRequest): boolean =>
  JSON.stringify(body.messages?.at(-1)).includes("Your context is nearly full");
const ofType = (events: LoggedEvent[], type: string) => events.filter((event) => event.type === type);

/** A model that reads a file again and again, thinking on the way, and summarises when it is asked to. */
function reader(steps: number, saidChars = 20) {
  let step = 0;
  return (request: DoubleRequest) => {
    if (asksForSummary(request)) return text(SUMMARY);
    step += 1;
    if (step > steps) return text("Done.");
    return turn([
      { type: "thinking", thinking: `step ${step}` },
      { type: "text", text: `${step} `.repeat(saidChars / 2) },
      { type: "tool_use", name: "read_file", input: { path: `${step % 3}.txt` } },
    ]);
  };
}

const files = { "0.txt": KB40, "1.txt": KB40, "2.txt": KB40 };
const LONG = { files, tools: readTools(), seal: "off" as const };

/** Messages as they were on the wire, without the marks that only a request has. */
const onTheWire = (messages: unknown): unknown =>
  JSON.parse(JSON.stringify(messages), (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );

describe("a long run", () => {
  it("with results of 40 KB stays within a window of 200,000 tokens", {
    timeout: 180_000,
  }, async () => {
    const { result, double, events } = await runAgent(reader(STEPS), { ...LONG, maxSteps: STEPS + 1 });
    expect(result).toMatchObject({ subtype: "success", result: "Done.", numSteps: STEPS + 1 });
    const refused = double.requests.filter((request) => request.refused);
    const sizes = double.requests.map(inputOf);
    const cleared = ofType(events, "context.cleared");
    const results = cleared.reduce((sum, event) => sum + (event["cleared"] as unknown[]).length, 0);
    const summaries = ofType(events, "context.summarised");
    const read = double.requests.reduce(
      (sum, { inputUsage }) => sum + (inputUsage?.cache_read_input_tokens ?? 0),
      0,
    );
    const all = sizes.reduce((sum, size) => sum + size, 0);
    console.log(
      `steps: ${STEPS}, requests: ${double.requests.length}, refused: ${refused.length}; largest: ${Math.max(...sizes)} tokens; ` +
        `edits: ${cleared.length}, results cleared: ${results}, summaries: ${summaries.length}; ` +
        `input from the cache: ${((read / all) * 100).toFixed(1)} %`,
    );
    expect(refused).toEqual([]);
    expect(Math.max(...sizes)).toBeLessThan(200_000 * 0.9);
    expect(double.requests.length).toBe(STEPS + 1 + summaries.length);
    expect(results).toBeGreaterThan(STEPS * 0.8);
    // What is left of cleared calls adds up: after some hundred of them they are summarised.
    expect(summaries.length > 0).toBe(STEPS >= 500);
    // The prefix is left alone on nearly every step.
    expect(cleared.length + summaries.length).toBeLessThan(STEPS / 5);
    expect(read / all).toBeGreaterThan(0.7);
  });

  it("is rebuilt from its log as it was at each request", { timeout: 60_000 }, async () => {
    const { result, double } = await runAgent(reader(60, 6_000), {
      ...LONG,
      maxSteps: 100,
      contextWindow: 60_000,
    });
    expect(result.subtype).toBe("success");
    const log = [...eventsOf(readEvents(result.runDir ?? ""))];
    expect(log.filter(({ event }) => event.type === "context.summarised").length).toBeGreaterThan(1);
    const asked = double.requests.filter((request) => !asksForSummary(request));
    const cuts = log.flatMap(({ event }, at) => (event.type === "llm.request" ? [at + 1] : []));
    expect(cuts.length).toBe(asked.length);
    for (const [at, cut] of cuts.entries()) {
      const { context } = rebuild(log.slice(0, cut));
      expect(onTheWire(context.messages)).toEqual(onTheWire(asked[at]?.body.messages));
    }
    expect(rebuild(log).context.usage).toEqual(result.usage);
  });

  it("that broke off and goes on judges its first request by what the last one cost", async () => {
    // By the first guess (3 bytes a token) the window would be full; by what was counted (4), it is not.
    const first = await runAgent(reader(14), { ...LONG, maxSteps: 13 });
    expect(first.result).toMatchObject({ terminalReason: "max_steps" });
    expect(ofType(first.events, "context.cleared")).toEqual([]);
    const counted = inputOf(first.double.requests.at(-1) as DoubleRequest);
    expect(counted).toBeGreaterThan(120_000);
    const {
      workspace,
      result: { runId },
    } = first;
    const { events, double, result } = await runAgent([text("Done.")], {
      ...LONG,
      workspace,
      resume: { runId },
      goal: "and now?",
      maxSteps: 30,
    });
    expect(result).toMatchObject({ subtype: "success", result: "Done." });
    expect(ofType(events, "context.cleared")).toEqual([]);
    expect(inputOf(double.requests[0] as DoubleRequest)).toBeGreaterThan(counted);
  });

  it("whose window is smaller than it was taken for learns that from the first refusal", async () => {
    const { result, double, events } = await runAgent(reader(40), {
      ...LONG,
      maxSteps: 60,
      double: { contextWindow: 50_000 },
    });
    expect(result.subtype).toBe("success");
    expect(double.requests.filter(({ refused }) => refused).length).toBe(1);
    expect(ofType(events, "context.cleared").length).toBeGreaterThan(1);
  });

  it("that fills the window in the middle of an answer goes on with less before it", async () => {
    const script = [
      turn([{ type: "tool_use", name: "read_file", input: { path: "0.txt" } }]),
      turn([{ type: "tool_use", name: "read_file", input: { path: "1.txt" } }]),
      text("The first half ", { stopReason: "model_context_window_exceeded" }),
      text("and the second."),
    ];
    const { result, double, events } = await runAgent(script, { ...LONG, contextWindow: 40_000 });
    expect(result).toMatchObject({ subtype: "success", result: "The first half and the second." });
    expect(ofType(events, "context.cleared").length).toBeGreaterThan(0);
    expect(inputOf(double.requests[3] as DoubleRequest)).toBeLessThan(
      inputOf(double.requests[2] as DoubleRequest),
    );
  });

  it("that fills it again at once is over", async () => {
    const { result } = await runAgent(() => text("more ", { stopReason: "model_context_window_exceeded" }));
    expect(result).toMatchObject({ terminalReason: "context_exhausted", result: "more more ", numSteps: 2 });
  });

  it("with nothing left to clear fails when it is refused", async () => {
    const { result, double } = await runAgent(() => apiError(400, { message: "prompt is too long" }));
    expect(result).toMatchObject({ terminalReason: "context_exhausted", numSteps: 1 });
    expect(double.requests.length).toBe(1);
  });

  it("with a result larger than the window is told to ask for less", async () => {
    const wide = Array.from({ length: 6 }, (_, at) => ({
      type: "tool_use" as const,
      name: "read_file",
      input: { path: `${at % 3}.txt` },
    }));
    const { result, double } = await runAgent([turn(wide), text("I see.")], {
      ...LONG,
      contextWindow: 20_000,
    });
    expect(result.subtype).toBe("success");
    expect(inputOf(double.requests[1] as DoubleRequest)).toBeLessThan(20_000);
    const shown = double.requests[1]?.body.messages?.at(-1)?.content as { content: { text: string }[] }[];
    expect(shown[0]?.content[0]?.text).toMatch(
      /^\[The result of read_file \{"path":"0\.txt"\} \(\d+ bytes\) was cleared/,
    );
  });

  it("whose model writes no summary goes on with a list of its calls", { timeout: 60_000 }, async () => {
    const model = reader(40, 6_000);
    const silent = (request: DoubleRequest) =>
      asksForSummary(request)
        ? turn([{ type: "tool_use", name: "read_file", input: { path: "0.txt" } }])
        : model(request);
    const { result, events } = await runAgent(silent, { ...LONG, maxSteps: 60, contextWindow: 40_000 });
    expect(result.subtype).toBe("success");
    expect(ofType(events, "context.summarised")[0]?.["text"]).toContain('called read_file {"path":"1.txt"}');
  });
});

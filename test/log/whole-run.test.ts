import { readdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsOf, readEvents } from "../../src/events/event-reader.ts";
import type { StampedEvent } from "../../src/events/run-event.ts";
import { rebuild } from "../../src/log/rebuild.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import { text, toolUse, turn } from "../../src/testing.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { makeWorkspace, runAgent } from "../support/run-agent.ts";

const read = (path: string) => ({ type: "tool_use" as const, name: "read_file", input: { path } });

/** Messages as they were on the wire, without the marks that only a request has. */
function onTheWire(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages), (key, value: unknown) =>
    key === "cache_control" ? undefined : value,
  );
}

describe("the log of a whole run", () => {
  it("verifies, and is enough to make anew what each request said", async () => {
    const script = [
      turn([
        { type: "thinking", thinking: "hm" },
        { type: "text", text: "I look." },
        read("a.txt"),
        read("none.txt"),
      ]),
      text("Going on ", { stopReason: "max_tokens" }),
      turn([read("big.txt")], { stopReason: "max_tokens" }),
      turn([{ type: "text", text: "wait" }], { stopReason: "pause_turn" }),
      turn([read("big.txt"), { type: "tool_use", name: "no_such_tool", input: { $blob: "x" } }]),
      text("Done."),
    ];
    const { result, double } = await runAgent(script, {
      files: { "a.txt": "alpha \u2028 \n", "big.txt": "0123456789 é\n".repeat(20_000) },
      tools: readTools(),
    });
    const path = result.runDir ?? "";
    expect(result).toMatchObject({ subtype: "success", numSteps: script.length });
    expect(verifyLog(path)).toMatchObject({ whole: true, runId: result.runId });

    const events = [...eventsOf(readEvents(path))];
    const cuts = events.flatMap(({ event }, i) => (event.type === "llm.request" ? [i + 1] : []));
    expect(cuts.length).toBe(script.length);
    for (const [i, cut] of cuts.entries()) {
      const { context } = rebuild(events.slice(0, cut));
      expect(onTheWire(context.messages)).toEqual(onTheWire(double.requests[i]?.body.messages));
    }
    const { context, open, finished } = rebuild(events);
    expect([context.step, context.usage, open, finished?.status]).toEqual([
      result.numSteps,
      result.usage,
      [],
      "success",
    ]);
  });

  it("ends the run as a log failure when it is taken away, and no tool runs after that", async () => {
    const workspace = makeWorkspace({ "a.txt": "alpha\n" });
    const told: string[] = [];
    const onEvent = ({ event }: StampedEvent) => {
      told.push(event.type);
      if (event.type !== "llm.response") return;
      const runs = join(workspace, ".ruizn", "runs");
      renameSync(runs, `${runs}.gone`);
    };
    const taken = runAgent([toolUse("read_file", { path: "a.txt" }), text("never")], {
      workspace,
      tools: readTools(),
      subscribers: [{ name: "thief", onEvent }],
    });
    // The helper reads the log where it was.
    await expect(taken).rejects.toThrow("ENOENT");
    expect(told).toEqual([
      "run.started",
      "step.started",
      "llm.request",
      "llm.response",
      "step.finished",
      "run.finished",
    ]);
    const [run = ""] = readdirSync(join(workspace, ".ruizn", "runs.gone"));
    const kept = [...eventsOf(readEvents(join(workspace, ".ruizn", "runs.gone", run)))];
    expect(kept.map(({ event }) => event.type)).toEqual(told.slice(0, 4));
  });
});

import { describe, expect, it } from "vitest";
import { runDiff } from "../../src/cli/diff.ts";
import { type RunEvent, UserTextEvent } from "../../src/events/run-event.ts";
import { diffRuns } from "../../src/log/diff-runs.ts";
import {
  callFinished,
  callStarted,
  response,
  runFinished,
  runStarted,
  writeLog,
} from "../support/sample-log.ts";

/** A run of one call and an answer; ids are its own. */
function run(
  ids: string,
  more: { goal?: string; read?: string; answer?: string; input?: string } = {},
): string {
  const { goal = "Read", read = "alpha", answer = "It says alpha.", input = "a.txt" } = more;
  const events: RunEvent[] = [
    runStarted(goal),
    response([
      { type: "thinking", thinking: "hm", signature: `sig-${ids}` },
      { type: "tool_use", id: `${ids}-1`, name: "read_file", input: { path: input } },
      { type: "tool_use", id: `${ids}-2`, name: "read_file", input: { path: "b.txt" } },
    ]),
    callStarted(`${ids}-1`),
    callStarted(`${ids}-2`),
    callFinished(`${ids}-2`, "beta"),
    callFinished(`${ids}-1`, read),
    new UserTextEvent({ step: 1, text: "go on" }),
    response([{ type: "text", text: answer }], 2),
    runFinished(),
  ];
  return writeLog(events).path;
}

describe("diffRuns", () => {
  it("takes runs that differ in ids, signatures and times alone for the same", () => {
    expect(diffRuns(run("x"), run("y"))).toEqual({ conditions: [], parted: undefined });
  });

  it("names the first thing that differs, and the step", () => {
    const parted = (more: Parameters<typeof run>[1]) => diffRuns(run("x"), run("y", more)).parted;
    expect(parted({ input: "c.txt", answer: "no" })).toMatchObject({ step: 1, what: "assistant tool_use" });
    expect(parted({ read: "omega", answer: "no" })).toEqual({
      step: 1,
      what: "user tool_result",
      one: { role: "user", type: "tool_result", call: 1, content: [{ type: "text", text: "alpha" }] },
      other: { role: "user", type: "tool_result", call: 1, content: [{ type: "text", text: "omega" }] },
    });
    expect(parted({ answer: "no" })).toMatchObject({ step: 2, what: "assistant text" });
  });

  it("names what they began with", () => {
    expect(diffRuns(run("x"), run("y", { goal: "Write" }))).toMatchObject({
      conditions: [{ what: "goal", one: "Read", other: "Write" }],
      parted: { step: 0, what: "user text" },
    });
  });

  it("says where one run goes on and the other does not", () => {
    const short = writeLog([runStarted("Read")]).path;
    expect(diffRuns(short, run("x")).parted).toMatchObject({
      step: 1,
      what: "assistant thinking",
      one: undefined,
    });
  });
});

describe("ruizn diff", () => {
  it("exits 0 for the same and 1 for runs that parted, and shows both sides", () => {
    const io = { text: "", stdout: { write: (text: string) => void (io.text += text) } };
    const diff = (one: string, other: string) =>
      runDiff(io, { place: { workspace: "/nowhere" }, one, other, json: false });
    expect([diff(run("x"), run("y")), io.text]).toEqual([0, "the same was said in both\n"]);
    io.text = "";
    expect(diff(run("x"), run("y", { answer: "\u001b[31mno" }))).toBe(1);
    expect(io.text).toBe(
      "parted in step 2, assistant text\n" +
        '- {"type":"text","text":"It says alpha.","role":"assistant"}\n' +
        '+ {"type":"text","text":"\\u001b[31mno","role":"assistant"}\n',
    );
  });
});

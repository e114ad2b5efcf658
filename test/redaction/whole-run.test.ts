import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eventLine, type StampedEvent } from "../../src/events/run-event.ts";
import { REDACTION_RULES } from "../../src/redaction/rules.ts";
import { text, turn } from "../../src/testing.ts";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { makeWorkspace, runAgent } from "../support/run-agent.ts";

const CANARY = "c4n4ry-0f3d9a7b";
const FORMS = REDACTION_RULES.flatMap(({ match }) => match);
const secret = fc.oneof(
  fc.constantFrom(...FORMS),
  fc.stringMatching(/^[!-~]([ -~]{8,40})[!-~]$/).filter((value) => !/^[0-9a-z .]*$/.test(value)),
);

/** Every byte that a run leaves in its folder. */
function onDisk(folder: string): string {
  return readdirSync(folder, { recursive: true, encoding: "utf8", withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"))
    .join("\n");
}

function watcher(): {
  seen: string[];
  subscriber: { name: string; onEvent: (stamped: StampedEvent) => void };
} {
  const seen: string[] = [];
  return { seen, subscriber: { name: "watcher", onEvent: (stamped) => void seen.push(eventLine(stamped)) } };
}

describe("a secret in a whole run", () => {
  it("is in no request, event, log or result, whoever says it and however it is cut", async () => {
    let runs = 0;
    const property = fc.asyncProperty(secret, fc.integer({ min: 1, max: 30 }), async (value, chunkChars) => {
      runs += 1;
      const { seen, subscriber } = watcher();
      const script = [
        turn(
          [
            { type: "text", text: `I read ${value} now` },
            { type: "tool_use", name: "read_file", input: { path: "a.txt", [value]: value } },
            { type: "tool_use", name: "read_file", input: { path: "a.txt" } },
            { type: "tool_use", name: "read_file", input: { path: value } },
          ],
          { chunkChars },
        ),
        text(`It says: ${value}`, { chunkChars }),
      ];
      const { result, double } = await runAgent(script, {
        goal: `Look at a.txt, but not at ${value} of course`,
        files: { "a.txt": `user=app\nvalue=${value}\nend\n` },
        tools: readTools(),
        secrets: [{ name: "TEST_SECRET", value }],
        subscribers: [subscriber],
        appendSystem: `Never say ${value}.`,
        seal: "off",
      });
      expect(result.subtype).toBe("success");
      expect(result.result).toContain("It says: ");
      const everything = [onDisk(result.runDir ?? ""), seen.join("\n"), JSON.stringify(result)];
      const sent = double.requests.map(({ raw }) => raw.toString());
      for (const place of [...everything, ...sent]) {
        expect(place).not.toContain(value);
        expect(place).not.toContain(JSON.stringify(value).slice(1, -1));
      }
      expect(sent.at(-1)).toContain("value=");
    });
    await fc.assert(property, { numRuns: 12 });
    console.log(`runs searched for their secret: ${runs}`);
  });

  it("that the model makes up is not written to a file, and neither is a marker", async () => {
    const workspace = makeWorkspace({ "a.txt": `key=${FORMS[0]}\n` });
    const write = (content: string) =>
      turn([{ type: "tool_use", name: "write_file", input: { path: "b.txt", content } }]);
    const { events } = await runAgent(
      [
        write(`key=${FORMS[0]}`),
        write("key=[redacted:anthropic-key]"),
        write("see [redacted:nothing]"),
        text("ok"),
      ],
      { workspace, tools: [...readTools(), ...writeTools()], seal: "off" },
    );
    const ends = events
      .filter(({ type }) => type === "tool_call.finished")
      .map((event) => event["error_type"]);
    expect(ends).toEqual(["invalid_input", "invalid_input", null]);
    expect(readFileSync(join(workspace, "b.txt"), "utf8")).toBe("see [redacted:nothing]");
  });

  it("in signed thinking costs the turn its tool calls, and the API still takes the conversation", async () => {
    const { result, double, events } = await runAgent(
      [
        turn([
          { type: "thinking", thinking: `perhaps ${FORMS[0]}` },
          { type: "tool_use", name: "read_file", input: { path: "a.txt" } },
        ]),
        turn([
          { type: "thinking", thinking: "again" },
          { type: "tool_use", name: "read_file", input: { path: "a.txt" } },
        ]),
        text("done"),
      ],
      { files: { "a.txt": "alpha\n" }, tools: readTools(), seal: "off" },
    );
    expect([result.subtype, result.numSteps]).toEqual(["success", 3]);
    expect(double.requests.some(({ refused }) => refused)).toBe(false);
    expect(JSON.stringify(events)).not.toContain(FORMS[0]);
    expect(events.filter(({ type }) => type === "tool_call.finished").length).toBe(1);
  });
});

describe("a canary", () => {
  const CASES = {
    "in a file": [turn([{ type: "tool_use", name: "read_file", input: { path: "a.txt" } }]), text("done")],
    "in the answer": [text(`It is ${CANARY}`, { chunkChars: 3 })],
    "in a tool's input": [
      turn([{ type: "tool_use", name: "read_file", input: { path: CANARY } }]),
      text("done"),
    ],
    "across two blocks of the answer": [
      turn([
        { type: "text", text: `It is ${CANARY.slice(0, 7)}` },
        { type: "text", text: CANARY.slice(7) },
      ]),
    ],
  };

  it.each(Object.entries(CASES))("%s ends the run, and is not shown", async (_where, script) => {
    const { result, double } = await runAgent(script, {
      files: { "a.txt": `x ${CANARY} y\n` },
      tools: readTools(),
      canaries: [CANARY],
      seal: "off",
    });
    expect(result).toMatchObject({
      subtype: "error_canary_seen",
      terminalReason: "canary_seen",
      isError: true,
    });
    expect(double.requests.length).toBe(1);
    expect(onDisk(result.runDir ?? "") + JSON.stringify(result)).not.toContain(CANARY);
    expect(onDisk(result.runDir ?? "")).toContain('"terminal_reason":"canary_seen"');
  });

  it("that stays where it is disturbs nothing", async () => {
    const { result } = await runAgent([text("done")], {
      files: { "a.txt": CANARY },
      canaries: [CANARY],
      seal: "off",
    });
    expect(result.subtype).toBe("success");
  });
});

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { startMessagesDouble, text, turn } from "../../src/testing.ts";
import { writeTools } from "../../src/tools/built-in.ts";
import { runAgent } from "../support/run-agent.ts";

/** `npm run proofs` cuts at more places. */
const CUT_EVERY = Number(process.env["RUIZN_TEST_CUT_EVERY"] ?? 29);

/** Says something and writes a file, which fails when it was written before. */
const step = (number: number) =>
  turn([
    { type: "text", text: "I write." },
    {
      type: "tool_use",
      name: "write_file",
      input: { path: `${String(number).padStart(4, "0")}.txt`, content: `${number}\n` },
    },
  ]);

async function bytesOf(number: number): Promise<number> {
  const double = await startMessagesDouble({ script: [step(number)] });
  const reply = await fetch(`${double.url}/v1/messages`, {
    method: "POST",
    headers: { authorization: "Bearer x", "anthropic-version": "2026-10-21" },
    body: JSON.stringify({ model: "m", max_tokens: 1, messages: [{ role: "user", content: "x" }] }),
  });
  const { byteLength } = await reply.arrayBuffer();
  await double.close();
  return byteLength;
}

it("a response that breaks off is never acted on: each step's tool runs once, and what was shown is withdrawn", async () => {
  const bytes = await bytesOf(1);
  const cuts = Array.from({ length: Math.ceil(bytes / CUT_EVERY) }, (_, at) => at * CUT_EVERY);
  const replies = cuts.flatMap((cutAtByte, at) => [{ ...step(at), cutAtByte }, step(at)]);
  const { result, events, double, workspace } = await runAgent([...replies, text("Done.")], {
    tools: writeTools(),
    maxSteps: cuts.length + 1,
    seal: "off",
  });
  expect(result).toMatchObject({ subtype: "success", numSteps: cuts.length + 1 });
  expect(double.requests.map(({ refused }) => refused).filter(Boolean)).toEqual([]);
  expect(double.requests).toHaveLength(replies.length + 1);

  let withdrawn = 0;
  for (const at of cuts.keys()) {
    const own = events.filter((event) => event["step"] === at + 1);
    const of = (type: string) => own.filter((event) => event.type === type);
    const counts = ["llm.retry", "llm.response", "tool_call.started", "tool_call.finished"].map(
      (type) => of(type).length,
    );
    expect([at, ...counts]).toEqual([at, 1, 1, 1, 1]);
    expect(of("tool_call.finished")[0]).toMatchObject({ is_error: false });
    // What was shown twice was withdrawn once.
    const shown = of("llm.token").map((event) => event["text"]);
    expect(of("llm.withdrawn").length).toBe(shown.join("") === "I write." ? 0 : 1);
    withdrawn += of("llm.withdrawn").length;
    expect(own.findIndex(({ type }) => type === "tool_call.started")).toBeGreaterThan(
      own.findIndex(({ type }) => type === "llm.response"),
    );
    const name = `${String(at).padStart(4, "0")}.txt`;
    expect(readFileSync(join(workspace, name), "utf8")).toBe(`${at}\n`);
  }
  console.log(
    `responses cut: ${cuts.length} of ${bytes} places; withdrawn: ${withdrawn}; tool calls made: ${cuts.length}, twice: 0`,
  );
}, 600_000);

import { existsSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Reply, ReplyBlock, TurnReply } from "../../testing/reply.ts";
import { text, turn } from "../../testing/reply.ts";
import { event, type SseEvent } from "../../testing/sse-events.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import type { AttackedRun } from "../run-attack.ts";
import type { Stage } from "../stage.ts";

/** What a whole turn asks for; nothing of a broken one may be done. */
const WRITE: ReplyBlock = {
  type: "tool_use",
  name: "write_file",
  input: { path: "broken.txt", content: "x" },
};
const BROKEN = [{ type: "text", text: "I write a file." }, WRITE] as const;

interface StreamOptions {
  /** Milliseconds that the run may take. */
  withinMs?: number;
  provider?: Parameters<Stage["run"]>[0]["provider"];
  /** Looked at besides: the file must not be there. */
  then?: (run: AttackedRun, stage: Stage) => void;
  /** The turn is whole in the end, and the file may be there. */
  mayWrite?: true;
}

/** A reply that is wrong, and the run that gets it again and again: it must end in time, and do nothing of it. */
function stream(id: string, title: string, reply: () => Reply, options: StreamOptions = {}): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      const { withinMs = 3_000, provider, then, mayWrite } = options;
      const startedAt = performance.now();
      const run = await stage.run({
        script: reply,
        provider: { maxRetries: 1, firstByteTimeoutMs: 400, idleTimeoutMs: 400, ...provider },
        options: { maxSteps: 2, runTimeoutMs: withinMs + 5_000, maxTokens: 4_096 },
      });
      const tookMs = performance.now() - startedAt;
      if (tookMs > withinMs) stage.degraded(`the run took ${Math.round(tookMs)} ms`);
      const written = existsSync(join(stage.tree.root, "broken.txt"));
      stage.holds(mayWrite === true || !written, "a tool of a broken turn was run");
      then?.(run, stage);
    },
  };
}

const edited = (edit: (events: SseEvent[]) => SseEvent[], more: Partial<TurnReply> = {}) =>
  turn(BROKEN, { ...more, events: edit });
const without = (type: string) =>
  edited((sent) => sent.filter((one) => !("event" in one && one.event === type)));
const before = (...more: SseEvent[]) => edited((sent) => [...sent.slice(0, 3), ...more, ...sent.slice(3)]);

const CUTS: CaseRow[] = [40, 400, 700, 1_000, 1_300].flatMap((bytes, index) => [
  stream(`PV-001${"abcde"[index]}`, `ends in good order after ${bytes} bytes`, () =>
    turn(BROKEN, { endAtByte: bytes }),
  ),
  stream(`PV-011${"abcde"[index]}`, `breaks off after ${bytes} bytes`, () =>
    turn(BROKEN, { cutAtByte: bytes }),
  ),
]);

const INPUTS: CaseRow[] = (
  [
    ["is cut", '{"path": "broken.txt", "conte'],
    ["is a list", '["broken.txt"]'],
    ["is a text", '"broken.txt"'],
    ["is empty where something is needed", ""],
    ["has a trailing comma", '{"path": "broken.txt", "content": "x",}'],
    ["has NaN", '{"path": "broken.txt", "content": NaN}'],
    ["nests 100,000 levels", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["is 10 MB", `{"path": "broken.txt", "content": "${"x".repeat(10_000_000)}"}`],
    ["has two documents", '{"path": "a"}{"path": "broken.txt", "content": "x"}'],
  ] as const
).map(([what, json], index) =>
  stream(
    `PV-020${"abcdefghi"[index]}`,
    `calls a tool with input that ${what}`,
    () => turn([{ type: "tool_use", name: "write_file", json }], { chunkChars: 1_000_000 }),
    { withinMs: 6_000 },
  ),
);

const IDS: CaseRow[] = (
  [
    ["__proto__", "write_file"],
    ["a\nb", "write_file"],
    ["x".repeat(10_240), "write_file"],
    ["", "write_file"],
    ["t1", ""],
  ] as const
).map(([id, name], index) =>
  stream(
    `PV-005${"abcde"[index]}`,
    `gives a tool use the id ${JSON.stringify(id.slice(0, 12))} and the name ${JSON.stringify(name)}`,
    () => turn([{ ...WRITE, id, name } as ReplyBlock]),
    {
      mayWrite: true,
      then: (_, stage) =>
        stage.holds(Object.keys(Object.prototype).length === 0, "the prototype was polluted"),
    },
  ),
);

const USAGE: CaseRow[] = [1e308, -5, "12", null, 2 ** 53 + 1, {}].map((value, index) =>
  stream(
    `PV-017${"abcdef"[index]}`,
    `tells ${JSON.stringify(value)} as tokens`,
    () => text("done", { usage: { output_tokens: value as number, input_tokens: value as number } }),
    {
      then: ({ result: { usage } }, stage) => {
        const wrong = Object.entries(usage).filter(
          ([, tokens]) => !(Number.isSafeInteger(tokens) && tokens >= 0),
        );
        stage.holds(wrong.length === 0, `the run's usage is ${JSON.stringify(wrong)}`);
      },
    },
  ),
);

/** Made once, by the first who asks for it: that takes longer than the case. */
let bomb: Buffer | undefined;

const delta = (index: number) =>
  event("content_block_delta", { index, delta: { type: "text_delta", text: "x" } });
const start = (index: number) =>
  event("content_block_start", { index, content_block: { type: "text", text: "" } });

export const PROVIDER_STREAM_CASES: readonly ProbeCase[] = family(
  "provider-stream",
  { claim: "integrity", layers: [] },
  [
    ...CUTS,
    ...INPUTS,
    ...IDS,
    ...USAGE,
    stream("PV-004", "gives two tool uses one id", () =>
      turn([
        { ...WRITE, id: "t1" },
        { ...WRITE, id: "t1" },
      ]),
    ),
    stream("PV-006", "cuts a tool use by the token limit and calls it whole", () =>
      turn([{ type: "tool_use", name: "write_file", json: '{"path": "broken.txt", "content": "ha' }], {
        stopReason: "max_tokens",
      }),
    ),
    stream("PV-007a", "sends a delta of no block", () => before(delta(9))),
    stream("PV-007b", "begins a block twice", () => before(start(0))),
    stream("PV-007c", "begins block 1,000,000,000", () => before(start(1e9)), { mayWrite: true }),
    stream("PV-007d", "begins block -1", () => before(start(-1)), { mayWrite: true }),
    stream(
      "PV-007e",
      "begins the message twice",
      () => before(event("message_start", { message: { id: "2", content: [] } })),
      { mayWrite: true },
    ),
    stream("PV-007f", "never ends a block", () => without("content_block_stop")),
    stream("PV-007g", "never begins the message", () => without("message_start"), { mayWrite: true }),
    stream("PV-007h", "never ends the message", () => without("message_stop"), { mayWrite: true }),
    stream("PV-008", "has an error after three deltas", () =>
      turn(BROKEN, { errorAfterEvents: { events: 6, type: "overloaded_error" } }),
    ),
    stream("PV-010", "sends nothing", () => turn(BROKEN, { headerDelayMs: 60_000 })),
    stream("PV-010b", "stops in the middle and keeps the connection", () =>
      turn(BROKEN, { stallAtByte: 500 }),
    ),
    stream(
      "PV-012",
      "sends a line of 20 MB without an end",
      () => ({ raw: `data: ${"x".repeat(20_000_000)}` }),
      { withinMs: 6_000 },
    ),
    stream(
      "PV-013",
      "sends 50,000 pings",
      () => before(...Array.from({ length: 50_000 }, () => event("ping", {}))),
      {
        mayWrite: true,
        withinMs: 6_000,
        provider: { idleTimeoutMs: 3_000 },
      },
    ),
    stream(
      "PV-014",
      "cuts text between the bytes of a letter",
      () => text("äöü €🙂".repeat(20), { chunkChars: 1 }),
      {
        then: ({ result }, stage) =>
          stage.holds(result.result === "äöü €🙂".repeat(20), `the answer is ${result.result.slice(0, 40)}`),
      },
    ),
    stream(
      "PV-015",
      "answers with a compressed bomb",
      () => ({
        raw: (bomb ??= gzipSync(Buffer.alloc(60_000_000, "data: x\n"))),
        headers: { "content-encoding": "gzip", "content-type": "text/event-stream" },
      }),
      { withinMs: 8_000 },
    ),
    stream("PV-015b", "answers in a coding that nobody knows", () => ({
      raw: "x",
      headers: { "content-encoding": "evil, gzip, gzip" },
    })),
    stream("PV-016", "answers with a page", () => ({
      raw: "<html>sign in</html>",
      headers: { "content-type": "text/html" },
    })),
    stream("PV-019", "answers with headers of 100 KB", () => ({
      raw: "x",
      headers: { "x-big": "x".repeat(100_000) },
    })),
    stream("PV-022", "hangs up", () => ({ hangUp: true })),
    stream("PV-023", "asks to wait for a day", () => ({ status: 429, retryAfter: 86_400 })),
    stream("PV-024", "answers with status 200 and bytes that are no text", () => ({
      raw: Uint8Array.from({ length: 4_096 }, (_, at) => (at * 37) % 256),
    })),
  ],
);

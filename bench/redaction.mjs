// What redaction costs: one token event through stream and event bus, and one 50 KB tool result, each against the same
// without redaction. The two take turns.
import { readFileSync } from "node:fs";
import { EventBus } from "../dist/src/events/event-bus.js";
import { LlmTokenEvent, ToolCallFinishedEvent } from "../dist/src/events/run-event.js";
import { redactEvent } from "../dist/src/redaction/redact-event.js";
import { Redactor } from "../dist/src/redaction/redactor.js";
import { statistics } from "./lib/statistics.mjs";

const ROUNDS = 15;
const TOKENS = 50_000;
const RESULTS = 200;
const secrets = Array.from({ length: 12 }, (_, i) => ({
  name: `S${i}`,
  value: `${"qwxzkv"[i % 6]}9-secret-${i}-${i}`,
}));
const redactor = new Redactor({ secrets });
const source = readFileSync(new URL("../package-lock.json", import.meta.url), "utf8");
const code = readFileSync(new URL("../node_modules/typescript/lib/typescript.js", import.meta.url), "utf8");
const prose = readFileSync(new URL("../docs/cli.md", import.meta.url), "utf8");
const tokens = (prose.repeat(20).match(/.{1,5}/gs) ?? []).slice(0, TOKENS);

function busWith(redact) {
  const bus = new EventBus({
    runId: "r",
    ...(redact && { redact: (event) => redactEvent(redactor, event) }),
  });
  bus.subscribe({ name: "nobody", onEvent() {} });
  return bus;
}

function tokenEvents(redact) {
  const bus = busWith(redact);
  const stream = redactor.stream();
  const startedAt = performance.now();
  for (const token of tokens) {
    const text = redact ? stream.push(token) : token;
    if (text !== "") bus.publish(new LlmTokenEvent({ step: 1, text }));
  }
  return ((performance.now() - startedAt) * 1_000) / tokens.length;
}

function results(redact, text) {
  const bus = busWith(redact);
  const all = Array.from({ length: RESULTS }, (_, i) =>
    Buffer.from(text.slice(i * 13, i * 13 + 51_200)).toString("latin1"),
  );
  const startedAt = performance.now();
  for (const shown of all) {
    const raw = [{ type: "text", text: shown }];
    const content = redact ? redactor.value(raw) : raw;
    const fields = {
      step: 1,
      call_id: "c",
      name: "read_file",
      is_error: false,
      error_type: null,
      duration_ms: 1,
    };
    const sizes = {
      bytes_shown: 51_200,
      bytes_total: null,
      truncated: false,
      isolation: "thread",
      seal: "held",
    };
    bus.publish(new ToolCallFinishedEvent({ ...fields, ...sizes, content, data: {} }));
  }
  return ((performance.now() - startedAt) * 1_000) / RESULTS;
}

function compare(measure) {
  const [without, withIt] = [[], []];
  for (let round = -1; round < ROUNDS; round++) {
    const [a, b] = [measure(false), measure(true)];
    if (round < 0) continue;
    without.push(a);
    withIt.push(b);
  }
  return [statistics(without).median, statistics(withIt).median];
}

console.log(`node ${process.version}, ${ROUNDS} rounds in turns, medians`);
console.log("| what | without µs | with µs | redaction µs |\n|---|---|---|---|");
const rows = {
  "a token event": compare(tokenEvents),
  "a 50 KB result: package-lock.json": compare((redact) => results(redact, source)),
  "a 50 KB result: JavaScript": compare((redact) => results(redact, code)),
};
for (const [name, [a, b]] of Object.entries(rows)) {
  console.log(`| ${name} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b - a).toFixed(2)} |`);
}

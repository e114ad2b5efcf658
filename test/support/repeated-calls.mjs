// Calls a tool, or writes an event, so many times: `node repeated-calls.mjs call|event FOLDER COUNT`. What one of them asks
// of the kernel is the difference between two counts.
import { EventWriter } from "../../dist/src/events/event-writer.js";
import { LlmTokenEvent } from "../../dist/src/events/run-event.js";
import { ToolPool } from "../../dist/src/sandbox/tool-pool.js";
import { readTools } from "../../dist/src/tools/built-in.js";
import { invokeTool } from "../../dist/src/tools/invoke-tool.js";
import { ToolRegistry } from "../../dist/src/tools/tool-registry.js";

const [what, root, count] = process.argv.slice(2);

async function call() {
  const pool = new ToolPool({ root, seal: "try" });
  await pool.check();
  const deps = {
    registry: new ToolRegistry(readTools()),
    pool,
    policy: { decide: () => ({ allowed: true }) },
    signal: new AbortController().signal,
  };
  for (let n = 0; n < Number(count); n += 1) {
    const result = await invokeTool({ id: "c", name: "read_file", input: { path: "4k.txt" } }, deps);
    if (result.isError) throw new Error(JSON.stringify(result));
  }
  await pool.close();
}

function event() {
  const writer = EventWriter.create({ workspace: root, runId: `run-${count}`, fsync: "step" });
  for (let seq = 1; seq <= Number(count); seq += 1) {
    const stamp = { v: 1, seq, ts: "2026-07-22T18:20:00.000Z", run_id: "20260722-182000-a1b2c3" };
    writer.onEvent({ stamp, event: new LlmTokenEvent({ step: 1, text: "word " }) });
  }
  writer.close();
}

await (what === "call" ? call() : event());

// What the self-check costs a run before its first request: processes with the seal on and off, in turns.
// node bench/self-check.mjs [rounds=21]
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { startMessagesDouble, text } from "../dist/src/testing.js";
import { scratchFolder } from "./lib/scratch.mjs";

const rounds = Number(process.argv[2] ?? 21);
const folder = scratchFolder();
const index = new URL("../dist/src/index.js", import.meta.url).href;
const cell = new URL("../dist/src/sandbox/cell.js", import.meta.url).href;
/** As the command does it: the first thread is launched before the rest is loaded. */
const PROGRAM = `
  const [url, seal] = process.argv.slice(1);
  const { Cell } = await import(${JSON.stringify(cell)});
  const firstThread = await Cell.launch({ atomics: "sync" });
  const { AgentRunner, AnthropicProvider, readTools } = await import(${JSON.stringify(index)});
  const provider = new AnthropicProvider({ apiKey: "k", baseUrl: url, model: "claude-sonnet-5-5" });
  const policy = { decide: () => ({ allowed: true }) };
  const options = { goal: "go", workspace: process.cwd(), provider, policy, tools: readTools(), log: {} };
  const { subtype } = await new AgentRunner({ ...options, seal, firstThread }).run();
  process.exit(subtype === "success" ? 0 : 1);
`;

const samples = { try: [], off: [] };
for (let round = -1; round < rounds; round += 1) {
  for (const seal of Object.keys(samples)) {
    const ms = await firstRequest(seal);
    if (round >= 0) samples[seal].push(ms);
  }
}
const [on, off] = [samples.try, samples.off].map((all) => ({
  q1: at(all, 0.25),
  median: at(all, 0.5),
  q3: at(all, 0.75),
}));
console.log(JSON.stringify({ rounds, unit: "ms from start to first request", on, off }));

async function firstRequest(seal) {
  let asked;
  const script = () => {
    asked ??= performance.now();
    return text("done");
  };
  const double = await startMessagesDouble({ script });
  const cwd = mkdtempSync(join(folder, "ws-"));
  const startedAt = performance.now();
  const args = ["--input-type=module", "-e", PROGRAM, double.url, seal];
  const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  const [code] = await once(child, "close");
  await double.close();
  if (code !== 0 || asked === undefined)
    throw new Error(`the run with the seal ${seal} failed: exit code ${code}`);
  return asked - startedAt;
}

function at(all, share) {
  return Math.round(all.toSorted((a, b) => a - b)[Math.floor((all.length - 1) * share)]);
}

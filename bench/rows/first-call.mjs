// The first tool call of a run by the real command, its tools in threads and in a tool host: the host starts while the
// model is asked.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startMessagesDouble, text, toolUse } from "../../dist/src/testing.js";
import { COMMAND } from "../lib/contenders.mjs";
import { withScratch } from "../lib/scratch.mjs";
import { ANSWER, GOAL, MARKER, readme } from "../lib/task.mjs";
import { differenceOf } from "../lib/turns.mjs";

/** What the model takes for its first answer. */
const MODEL_MS = 400;
const OWN_TOOL = `import { readFileSync } from "node:fs";
export default { name: "read_own", description: "Reads.", inputSchema: { type: "object" },
  invoke: () => readFileSync("README.md", "utf8") };`;
const BUILT_IN = { tool: "read_file", input: { path: "README.md" }, flags: [] };
const OWN = { tool: "read_own", input: {}, flags: ["--tool", "own.mjs"] };
const CONTENDERS = {
  builtInThread: { ...BUILT_IN, isolation: "thread" },
  builtInHost: { ...BUILT_IN, isolation: "process" },
  ownThread: { ...OWN, isolation: "thread" },
  ownHost: { ...OWN, isolation: "process" },
};

export function measure({ quick }) {
  return withScratch(async (root) => {
    const samples = Object.fromEntries(Object.keys(CONTENDERS).map((name) => [name, []]));
    for (let round = -1; round < (quick ? 3 : 15); round += 1) {
      for (const [name, contender] of Object.entries(CONTENDERS)) {
        const sample = await runOnce(root, contender);
        if (round >= 0) samples[name].push(sample);
      }
    }
    const of = (key, what, limit, [base, ours]) =>
      differenceOf({
        what,
        against: "thread tier",
        unit: "ms",
        goal: { max: 0 },
        limit,
        base: samples[base].map((sample) => sample[key]),
        ours: samples[ours].map((sample) => sample[key]),
      });
    const pipe = "a pipe and two event loops more";
    return {
      measures: [
        of("turn", "first call in a host, reply → next request", pipe, ["builtInThread", "builtInHost"]),
        of("turn", "the same, a tool of one's own", pipe, ["ownThread", "ownHost"]),
        of(
          "first",
          "exec → first request, all tools in hosts",
          "a process starts, and attacks its own seal before anything is sent",
          ["builtInThread", "builtInHost"],
        ),
      ],
    };
  });
}

async function runOnce(root, { tool, input, flags, isolation }) {
  const workspace = mkdtempSync(join(root, "ws-"));
  writeFileSync(join(workspace, "README.md"), readme());
  writeFileSync(join(workspace, "own.mjs"), OWN_TOOL);
  const requests = [];
  const script = ({ raw }) => {
    requests.push({ at: performance.now(), hasFile: raw.includes(MARKER) });
    return requests.length > 1 ? text(ANSWER) : toolUse(tool, input, { headerDelayMs: MODEL_MS });
  };
  const double = await startMessagesDouble({ script });
  const startedAt = performance.now();
  const args = [COMMAND, "run", "--goal", GOAL, "--isolation", isolation, ...flags];
  const env = {
    PATH: process.env.PATH,
    HOME: root,
    ANTHROPIC_API_KEY: "bench",
    ANTHROPIC_BASE_URL: double.url,
    ANTHROPIC_MODEL: "claude-sonnet-5-5",
  };
  const child = spawn(process.execPath, args, { cwd: workspace, stdio: ["ignore", "pipe", "ignore"], env });
  const said = [];
  child.stdout.on("data", (part) => said.push(part));
  const [code] = await once(child, "close");
  await double.close();
  const [first, second] = requests;
  const whole = code === 0 && requests.length === 2 && second.hasFile;
  if (!whole || Buffer.concat(said).toString().trim() !== ANSWER)
    throw new Error(`${tool} in a ${isolation} did not do the job: exit code ${code}`);
  return { first: first.at - startedAt, turn: second.at - first.at - MODEL_MS };
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { JsonPrinter } from "../events/json-printer.ts";
import { StdoutPrinter } from "../events/stdout-printer.ts";
import { AnthropicProvider } from "../provider/anthropic/anthropic-provider.ts";
import { AgentRunner, type RunnerOptions } from "../runner/agent-runner.ts";
import type { RunResult } from "../runner/run-result.ts";
import type { DoubleRequest } from "../testing/double-request.ts";
import { startMessagesDouble } from "../testing/messages-double.ts";
import type { Script } from "../testing/reply.ts";
import { readTools, writeTools } from "../tools/built-in.ts";
import type { Stage } from "./stage.ts";

export interface RunAttack {
  script: Script;
  options?: Partial<RunnerOptions>;
  provider?: Partial<ConstructorParameters<typeof AnthropicProvider>[0]>;
  /** The canary may be told to the model and stand in the log: it lay in the workspace. */
  mayShow?: true;
}

export type LoggedEvent = { seq: number; type: string } & Record<string, unknown>;

export interface AttackedRun {
  result: RunResult;
  events: LoggedEvent[];
  /** The log as it stands on the disk. */
  log: string;
  /** What a person saw: answer and notes. */
  terminal: string;
  requests: readonly DoubleRequest[];
}

/** A key that the run uses for its requests: it must be in nothing that the run leaves. */
export const RUN_KEY = "sk-ant-probe-0123456789abcdefghijklmnop";
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const CONTROL = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/;

/** Runs the agent to its end against the loopback double, and looks through all that it left for what must not be there. */
export async function runAttack(attack: RunAttack, stage: Stage): Promise<AttackedRun> {
  const { script, options = {}, provider = {}, mayShow } = attack;
  const double = await startMessagesDouble({ script, contextWindow: 50_000_000 });
  let terminal = "";
  let json = "";
  const sink = { write: (text: string) => void (terminal += text) };
  const printer = new StdoutPrinter({
    layout: "transcript",
    answer: sink,
    notes: sink,
    level: "verbose",
    color: false,
  });
  const jsonPrinter = new JsonPrinter({ write: (text) => void (json += text) });
  const { isolation, seal = "try" } = stage.options;
  try {
    const runner = new AgentRunner({
      goal: "do it",
      workspace: stage.tree.root,
      provider: new AnthropicProvider({
        model: "claude-probe",
        apiKey: RUN_KEY,
        baseUrl: double.url,
        retryBaseMs: 2,
        ...provider,
      }),
      tools: [...readTools(), ...writeTools()],
      policy: { decide: () => ({ allowed: true }) },
      seal,
      ...(isolation && { isolation }),
      log: { dir: join(stage.tree.base, "runs") },
      subscribers: [printer, jsonPrinter],
      ...options,
    });
    const result = await runner.run();
    const log = result.runDir === undefined ? "" : readFileSync(join(result.runDir, "events.jsonl"), "utf8");
    const events = parsed(log, stage);
    stage.findings.note(
      `a run, goal "do it"`,
      `${result.subtype}: ${result.result || (result.errors[0]?.message ?? "")}`,
    );
    const run = { result, events, log, terminal, requests: double.requests };
    lookThrough(run, { json, stage, mayShow: mayShow === true });
    return run;
  } finally {
    await double.close();
  }
}

function parsed(log: string, stage: Stage): LoggedEvent[] {
  const lines = log.split("\n").slice(0, -1);
  return lines.flatMap((line, index) => {
    try {
      const event = JSON.parse(line) as LoggedEvent;
      stage.holds(event.seq === index + 1, `line ${index + 1} of the log has the number ${event.seq}`);
      return [event];
    } catch {
      stage.escaped(`line ${index + 1} of the log is no JSON`);
      return [];
    }
  });
}

function lookThrough(
  run: AttackedRun,
  { json, stage, mayShow }: { json: string; stage: Stage; mayShow: boolean },
): void {
  const { log, terminal, requests, events } = run;
  const bodies = requests.map(({ raw }) => raw.toString("utf8"));
  const places = { log, "events on stdout": json, terminal, "a request": bodies.join("\n") };
  for (const [place, text] of Object.entries(places)) {
    stage.holds(mayShow || !text.includes(stage.canary), `the canary stands in ${place}`);
    stage.holds(!text.includes(RUN_KEY), `the API key stands in ${place}`);
  }
  const control = CONTROL.exec(terminal);
  stage.holds(
    control === null,
    `the terminal was sent the control character ${JSON.stringify(control?.[0])}`,
  );
  const refused = requests.find((request) => request.refused !== undefined)?.refused;
  stage.holds(refused === undefined, `a request broke the API's rules: ${refused?.message}`);
  const count = (type: string) => events.filter((event) => event.type === type).length;
  stage.holds(count("run.finished") === 1, `the log has ${count("run.finished")} ends of the run`);
  stage.holds(
    count("tool_call.started") === count("tool_call.finished"),
    `${count("tool_call.started")} calls began and ${count("tool_call.finished")} ended`,
  );
}

/** The ends of a run's tool calls, in order. */
export const finished = ({ events }: AttackedRun): LoggedEvent[] =>
  events.filter(({ type }) => type === "tool_call.finished");

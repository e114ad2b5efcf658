import { Budget } from "../budget/budget.ts";
import { ExecutionContext } from "../context/execution-context.ts";
import { RuiZNError } from "../errors.ts";
import { EventBus } from "../events/event-bus.ts";
import { EventWriter } from "../events/event-writer.ts";
import { ToolPool } from "../sandbox/tool-pool.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import type { RunnerOptions } from "./agent-runner.ts";
import { HalfWrites } from "./half-writes.ts";
import type { PastRun } from "./resume-run.ts";
import type { RunRedaction } from "./run-redaction.ts";
import { RunTally } from "./run-tally.ts";
import { limitsOf } from "./started-fields.ts";

/** What is known of a run before anything is opened. */
export interface RunBase {
  options: RunnerOptions;
  runId: string;
  root: string;
  tools: readonly BaseTool[];
  registry: ToolRegistry;
  system: string;
  redaction: RunRedaction;
}

/** What one run holds; made in this order, closed in reverse. */
export interface OpenRun {
  /** What the run did before, when it goes on. */
  past: PastRun | undefined;
  system: string;
  registry: ToolRegistry;
  context: ExecutionContext;
  bus: EventBus;
  writer: EventWriter | undefined;
  tally: RunTally;
  halfWrites: HalfWrites;
  budget: Budget;
  pool: ToolPool;
}

/** @throws RuiZNError input_invalid, log_unwritable, settings_invalid; nothing is left open then */
export async function openRun(base: RunBase): Promise<OpenRun> {
  return base.options.resume ? reopen(base) : begin(base);
}

function begin(base: RunBase): OpenRun {
  const { runId, root, system, registry, options, redaction } = base;
  const { goal = "", log } = options;
  const context = new ExecutionContext({ goal: redaction.redactor.text(goal), runId });
  const openLog = (): EventWriter | undefined =>
    log === false
      ? undefined
      : EventWriter.create({ workspace: root, runsDir: log.dir, runId, fsync: log.fsync });
  return wired(base, { past: undefined, system, registry, context, openLog, ...told() });
}

async function reopen(base: RunBase): Promise<OpenRun> {
  const { runId, root, tools, options } = base;
  const { log, provider, goal: further, resume = { runId } } = options;
  if (log === false) throw new RuiZNError("input_invalid", "a run goes on in its log, which is switched off");
  // What reads a log is loaded only for a run that goes on.
  const { openPastRun, sameConditions } = await import("./resume-run.ts");
  const tallies = told();
  const past = openPastRun(
    { workspace: root, runsDir: log.dir },
    { runId, fsync: log.fsync, told: Object.values(tallies) },
  );
  try {
    const registry = new ToolRegistry(sameConditions(past, { provider, root, tools, resume, further }));
    const { context, started } = past.rebuilt;
    const openLog = (): EventWriter => past.writer;
    return wired(base, { past, system: started.system, registry, context, openLog, ...tallies });
  } catch (error) {
    past.writer.close();
    throw error;
  }
}

/** Those who count what happens, in all parts of the run. */
function told(): Pick<OpenRun, "tally" | "halfWrites"> {
  return { tally: new RunTally(), halfWrites: new HalfWrites() };
}

function wired(
  { options, runId, root, redaction }: RunBase,
  {
    openLog,
    ...parts
  }: Omit<OpenRun, "bus" | "budget" | "pool" | "writer"> & {
    openLog: () => EventWriter | undefined;
  },
): OpenRun {
  const {
    seal,
    isolation,
    firstThread,
    firstHost,
    subscribers = [],
    budget: limits = {},
    prices = {},
    provider,
  } = options;
  const { past, tally, halfWrites } = parts;
  const bus = new EventBus({ runId, firstSeq: past?.firstSeq ?? 1, redact: redaction.event });
  const budget = new Budget({
    limits,
    steps: limitsOf(options).maxSteps,
    prices,
    bus,
    model: provider.model,
  });
  if (past) budget.recall(past.history.spendings);
  // Opened last: settings that can't be kept leave no folder behind.
  const writer = openLog();
  for (const subscriber of [...(writer ? [writer] : []), tally, halfWrites, ...subscribers])
    bus.subscribe(subscriber);
  const pool = new ToolPool({
    root,
    seal,
    ...(isolation && { isolation }),
    ...(firstThread && { firstThread }),
    ...(firstHost && { firstHost }),
  });
  return { ...parts, writer, bus, budget, pool };
}

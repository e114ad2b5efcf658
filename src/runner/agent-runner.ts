import type { BudgetLimits } from "../budget/budget.ts";
import type { PriceTable } from "../budget/prices.ts";
import { RuiZNError } from "../errors.ts";
import type { Subscriber } from "../events/event-bus.ts";
import type { FsyncMode } from "../events/event-writer.ts";
import { RunStartedEvent } from "../events/run-event.ts";
import { runAgentLoop } from "../loop/agent-loop.ts";
import { ContextFitter } from "../loop/context-fitter.ts";
import { goOn } from "../loop/go-on.ts";
import type { LoopEnd } from "../loop/stop-reason.ts";
import { systemPrompt } from "../loop/system-prompt.ts";
import type { Policy } from "../policy/policy.ts";
import type { Provider } from "../provider/provider.ts";
import { redactingInvoke } from "../redaction/redacting-invoke.ts";
import { RedactingProvider } from "../redaction/redacting-provider.ts";
import type { Secret } from "../redaction/redactor.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { invokeTool, type ToolCall, type ToolNote } from "../tools/invoke-tool.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import { finishedEvent, resultOf } from "./finish.ts";
import { asRunError, endOfError, endOfLoop, type RunEnd, toRuiZNError } from "./run-end.ts";
import { RunRedaction } from "./run-redaction.ts";
import { withdrawShown } from "./withdraw-shown.ts";
import { RunDeadline } from "./run-deadline.ts";
import { newRunId } from "./run-id.ts";
import { type OpenRun, openRun, type RunBase } from "./open-run.ts";
import type { ResumeOptions } from "./resume-run.ts";
import type { RunResult } from "./run-result.ts";
import type { FailOn } from "./run-tally.ts";
import { limitsOf, startedFields } from "./started-fields.ts";
import type { Cell } from "../sandbox/cell.ts";
import type { HostAhead } from "../sandbox/host/host-ahead.ts";
import { canonicalRoot } from "../sandbox/guard/canonical-root.ts";

export interface RunnerOptions {
  /** What to do. With `resume` it may be left out, and is otherwise added to what the run was begun with. */
  goal?: string;
  /** Goes on with a run of this workspace and log folder instead of beginning one. */
  resume?: ResumeOptions;
  /** Folder that the tools work on; everything outside it is out of reach. */
  workspace: string;
  provider: Provider;
  tools: Iterable<BaseTool>;
  policy: Policy;
  /** Answers every call in place of the tools: how a recorded run is run again. */
  answer?: (call: ToolCall) => ToolResult;
  /** More checks of an input that its schema allows: why it is not valid, for the model; undefined when it is. */
  check?: (call: ToolCall) => string | undefined;
  /** `require` refuses to run unless the kernel seal held every attempt of the self-check. */
  seal: "require" | "try" | "off";
  /**
   * Where tools run: in worker threads of this process, or in processes of their own with threads in them. When nothing
   * is said, built-in tools run in threads, tool modules in processes.
   */
  isolation?: "thread" | "process";
  /** A worker thread that was launched ahead (`Cell.launch`), to load its code meanwhile. The run takes it over. */
  firstThread?: Cell;
  /** A tool host that was launched ahead, for a run whose tools are all in hosts. The run takes it over. */
  firstHost?: HostAhead;
  /** `false` keeps no log; `dir` is the folder for the runs' folders, by default `.ruizn/runs` in the workspace. */
  log: false | { dir?: string; fsync?: FsyncMode };
  /** Model responses at most (default 50). */
  maxSteps?: number;
  /** Output tokens of one response at most (default 16,384). */
  maxTokens?: number;
  /** Tokens that a request and its answer may have together; by default what the provider or the model's name says. */
  contextWindow?: number;
  /** Milliseconds for one tool call, queueing included (default 10,000). */
  toolTimeoutMs?: number;
  /** Milliseconds for the whole run; none by default. */
  runTimeoutMs?: number;
  /** What the run may spend besides steps and time. */
  budget?: BudgetLimits;
  /** Prices by model name, over the built-in table. */
  prices?: PriceTable;
  /** Replaces the built-in system prompt. */
  system?: string;
  appendSystem?: string;
  /** Values that reach neither log, subscribers nor model, besides what has the form of a key. */
  secrets?: readonly Secret[];
  /** Texts of eight characters or more that end the run (`canary_seen`) when one turns up in anything it is told. */
  canaries?: readonly string[];
  /** What besides the run's own end makes it fail. */
  failOn?: ReadonlySet<FailOn>;
  subscribers?: readonly Subscriber[];
  /** Ends the run in an orderly way. A reason `"SIGINT"`, `"SIGTERM"` or `"SIGHUP"` is noted in the result. */
  signal?: AbortSignal;
  policyHash?: string;
  settingsHash?: string;
}

/** How long a subscriber may still work off what it was told, once the run is over. */
const DRAIN_MAX_MS = 5_000;

/** One run from goal to result: makes the parts, wires them, and closes what it has opened. */
export class AgentRunner {
  readonly runId: string;
  readonly #options: RunnerOptions;
  readonly #redaction: RunRedaction;
  readonly #provider: Provider;
  readonly #base: RunBase;

  /** @throws RuiZNError input_invalid, settings_invalid, workspace_invalid, tool_invalid */
  constructor(options: RunnerOptions) {
    if (options.goal === undefined && !options.resume)
      throw new RuiZNError("input_invalid", "there is no goal");
    this.#redaction = new RunRedaction(options);
    const { redactor } = this.#redaction;
    this.#provider = new RedactingProvider(options.provider, redactor);
    this.#options = options;
    this.runId = options.resume?.runId ?? newRunId();
    const root = canonicalRoot(options.workspace);
    const tools = [...options.tools];
    const registry = new ToolRegistry(tools);
    const { system: replace, appendSystem: append } = options;
    const system = redactor.text(systemPrompt({ workspace: root, replace, append }));
    const redaction = this.#redaction;
    this.#base = { options, runId: this.runId, root, tools, registry, system, redaction };
  }

  /**
   * Runs to the end. Whatever goes wrong in the run is in the result; exactly one `run.finished` is published, and
   * pool and log are closed before this returns.
   * @throws RuiZNError input_invalid or log_unwritable, settings_invalid when the run could not begin at all.
   */
  async run(): Promise<RunResult> {
    const startedAt = performance.now();
    const run = await openRun(this.#base);
    try {
      const end = await this.#runToEnd(run);
      const before = run.past?.history.elapsedMs ?? 0;
      return this.#finish(run, end, Math.round(before + performance.now() - startedAt));
    } finally {
      await run.pool.close();
      run.halfWrites.remove(this.#base.root, run.registry);
      await run.bus.drain(DRAIN_MAX_MS);
      run.writer?.close();
    }
  }

  async #runToEnd(run: OpenRun): Promise<RunEnd> {
    const spentMs = run.past?.history.elapsedMs ?? 0;
    const deadline = new RunDeadline({ limitMs: this.#options.runTimeoutMs, spentMs });
    const signal = AbortSignal.any([
      deadline.signal,
      this.#redaction.signal,
      ...(this.#options.signal ? [this.#options.signal] : []),
    ]);
    try {
      await this.#start(run);
      deadline.tell(run.bus);
      const end = await this.#loop(run, signal);
      return endOfLoop(end, run.tally.failure(this.#options.failOn ?? new Set()), run.tally.partialText);
    } catch (error) {
      return endOfError(error, signal, run.tally.partialText);
    } finally {
      deadline.clear();
    }
  }

  /** The self-check runs while the provider loads its parts; nothing is sent and no tool runs before it is done. */
  async #start(run: OpenRun): Promise<void> {
    const { bus, pool, past } = run;
    const checking = pool.check();
    this.#provider.warmUp?.();
    const seal = await checking;
    bus.publish(new RunStartedEvent(startedFields(run, this.#base, seal)));
    if (past) {
      withdrawShown(past, bus);
      run.halfWrites.remove(this.#base.root, run.registry);
    }
    if (this.#options.seal === "require" && seal.state !== "held") {
      const why = seal.reason ?? `these attempts got through: ${seal.escaped.join(", ")}`;
      throw new RuiZNError("seal_unavailable", `the kernel seal is required but ${seal.state}: ${why}`, {
        hint: "`ruizn doctor` says what is missing; without --require-seal the run goes on with the guards alone",
      });
    }
    pool.prepare(run.registry.tools());
  }

  #loop(run: OpenRun, signal: AbortSignal): Promise<LoopEnd> {
    const { context, bus, budget, pool, registry, system, past } = run;
    const { goal, resume, policy, answer, check, toolTimeoutMs, contextWindow } = this.#options;
    const { maxTokens } = limitsOf(this.#options);
    // Left out, each tool's own limit holds.
    const timeout = toolTimeoutMs === undefined ? {} : { timeoutMs: toolTimeoutMs };
    const { redactor } = this.#redaction;
    const deps = { registry, pool, policy, signal, ...timeout, ...(check && { check }) };
    const invoke = async (call: ToolCall, onNote?: (note: ToolNote) => void) =>
      answer ? answer(call) : invokeTool(call, { ...deps, ...(onNote && { onNote }) });
    const isReadOnly = (name: string) => registry.get(name)?.tool.annotations.readOnlyHint === true;
    const shared = {
      maxTokens,
      context,
      bus,
      budget,
      provider: this.#provider,
      system,
      tools: registry.describe(),
      isReadOnly,
      signal,
    };
    const fitter = new ContextFitter({ ...shared, contextWindow });
    if (past?.history.lastCost) fitter.recall(past.history.lastCost);
    const loop = {
      ...shared,
      fitter,
      parallel: pool.parallel,
      invoke: (call: ToolCall, onNote: (note: ToolNote) => void) =>
        redactingInvoke(call, { invoke: (one) => invoke(one, onNote), isReadOnly, redactor }),
    };
    if (!past) return runAgentLoop(loop);
    return goOn(loop, past.history.breakPoint(past.rebuilt), {
      further: goal === undefined ? undefined : redactor.text(goal),
      mayRepeat: resume?.repeatWrite ?? (() => Promise.resolve(false)),
    });
  }

  #finish(run: OpenRun, ended: RunEnd, durationMs: number): RunResult {
    const end = this.#redaction.end(ended);
    const result = resultOf(run, end, durationMs);
    try {
      run.bus.publish(finishedEvent(result));
      return result;
    } catch (error) {
      // The log is lost, so the others are told without it: a run that can't be proved did not succeed.
      if (run.writer) run.bus.unsubscribe(run.writer);
      const lost = { ...end, reason: "log_failure" as const, errors: [asRunError(toRuiZNError(error))] };
      const failed = resultOf(run, lost, durationMs);
      run.bus.publish(finishedEvent(failed));
      return failed;
    }
  }
}

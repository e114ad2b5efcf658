import type { Budget } from "../budget/budget.ts";
import type { ExecutionContext } from "../context/execution-context.ts";
import type { EventBus } from "../events/event-bus.ts";
import { StepFinishedEvent, StepStartedEvent, UserTextEvent } from "../events/run-event.ts";
import type { ToolUseBlock, Usage } from "../messages.ts";
import type { ModelRequest, ModelResponse, Provider } from "../provider/provider.ts";
import type { ToolCall, ToolNote } from "../tools/invoke-tool.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import { askModel } from "./ask-model.ts";
import type { ContextFitter } from "./context-fitter.ts";
import { decideNext, type LoopEnd, type NextAction, responseText } from "./stop-reason.ts";
import { type DoneBefore, runToolCalls, type ToolTurn } from "./tool-turn.ts";

export interface LoopDeps {
  context: ExecutionContext;
  bus: EventBus;
  provider: Provider;
  system: string;
  tools: ModelRequest["tools"];
  maxTokens: number;
  /** How many tool calls of one turn run at the same time. */
  parallel: number;
  /** Must not throw or reject: failures are results. */
  invoke(call: ToolCall, onNote: (note: ToolNote) => void): Promise<ToolResult>;
  /** Whether a call of this tool can change nothing: a run that broke off may repeat it. */
  isReadOnly(name: string): boolean;
  budget: Budget;
  fitter: ContextFitter;
  signal: AbortSignal;
}

/** The part of an answer that earlier, cut-off responses have given, and how many of them there were. */
export interface Carried {
  text: string;
  continuations: number;
}

/**
 * Observe and act until the model is done, the steps are used up or the signal fires.
 * @throws RuiZNError from the provider or the event log, or the signal's reason; a step that was started is finished
 * first.
 */
export async function runAgentLoop(
  deps: LoopDeps,
  carried: Carried = { text: "", continuations: 0 },
): Promise<LoopEnd> {
  while (deps.budget.beforeStep()) {
    const end = await runStep(deps, carried);
    if (end) return { ...end, text: carried.text + end.text };
  }
  return { reason: "max_steps", stopReason: null, text: carried.text };
}

/** One model response and the tool calls that it asks for. */
async function runStep(deps: LoopDeps, carried: Carried): Promise<LoopEnd | undefined> {
  deps.signal.throwIfAborted();
  const step = deps.context.beginStep();
  deps.bus.publish(new StepStartedEvent({ step }));
  return finishStep(deps, step, () => askAndAct(deps, step, carried));
}

/** Does what is left of a step and says that it is finished, however it ended. */
export async function finishStep(
  { bus, signal }: LoopDeps,
  step: number,
  rest: () => Promise<LoopEnd | undefined>,
): Promise<LoopEnd | undefined> {
  const startedAt = performance.now();
  let status: "ok" | "error" | "aborted" = "error";
  try {
    const end = await rest();
    status = "ok";
    return end;
  } catch (error) {
    if (signal.aborted) status = "aborted";
    throw error;
  } finally {
    bus.publish(new StepFinishedEvent({ step, duration_ms: elapsed(startedAt), status }));
  }
}

export async function askAndAct(
  deps: LoopDeps,
  step: number,
  carried: Carried,
): Promise<LoopEnd | undefined> {
  const response = await askModel(deps, step);
  const toolUses = deps.context.addResponse(response.content, response.usage);
  return act(deps, { step, response, carried, toolUses });
}

/** What there is to do about a response that the context has. */
export interface Response {
  step: number;
  response: ModelResponse;
  carried: Carried;
  /** Those to be called. */
  toolUses: readonly ToolUseBlock[];
  /** What of it was done before the run broke off. */
  before?: DoneBefore & { said: boolean };
}

export async function act(deps: LoopDeps, todo: Response): Promise<LoopEnd | undefined> {
  const { bus, context } = deps;
  const { step, response, carried, toolUses, before } = todo;
  const next = decideNext(response, carried.continuations);
  if (toolUses.length > 0 || (before && before.answered.length > 0)) {
    const refusal = next.kind === "tools" ? undefined : next.refuse;
    await runTools(deps, { step, toolUses, refusal, ...(before && { before }) });
  }
  if (next.kind === "end") return next.end;
  Object.assign(carried, carryOn(carried, response, next));
  if (next.kind === "continue" && next.say !== undefined && before?.said !== true) {
    bus.publish(new UserTextEvent({ step, text: next.say }));
    context.addUserText(next.say);
  }
  if (next.kind === "continue" && next.refit) await deps.fitter.refit(step, tokensOf(response.usage));
  return undefined;
}

/** What the next response carries of the answer, after one that did not end the run. */
export function carryOn(carried: Carried, response: ModelResponse, next: NextAction): Carried {
  const goesOn = next.kind === "continue" && next.answerGoesOn;
  return {
    text: goesOn ? carried.text + responseText(response) : "",
    continuations: next.kind === "continue" ? carried.continuations + 1 : 0,
  };
}

/** Within the budget, or else every call is answered without being run, so that the conversation stays whole. */
async function runTools(deps: LoopDeps, turn: ToolTurn): Promise<void> {
  try {
    // A call that is made again was counted when it was made first.
    const fresh = turn.toolUses.filter(({ id }) => !turn.before?.starts.has(id));
    if (turn.refusal === undefined) deps.budget.beforeCalls(fresh);
  } catch (error) {
    await runToolCalls(deps, { ...turn, refusal: "not run: the run's budget is used up" });
    throw error;
  }
  await runToolCalls(deps, turn);
  deps.signal.throwIfAborted();
}

function tokensOf(usage: Usage): number {
  return (
    usage.input_tokens +
    usage.cache_read_input_tokens +
    usage.cache_creation_input_tokens +
    usage.output_tokens
  );
}

function elapsed(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

import type { Budget } from "../budget/budget.ts";
import type { ExecutionContext } from "../context/execution-context.ts";
import type { EventBus } from "../events/event-bus.ts";
import {
  LlmRequestEvent,
  LlmResponseEvent,
  StepFinishedEvent,
  StepStartedEvent,
  UserTextEvent,
} from "../events/run-event.ts";
import { addUsage, type ToolUseBlock } from "../messages.ts";
import type { ModelRequest, ModelResponse, Provider } from "../provider/provider.ts";
import type { ToolCall } from "../tools/invoke-tool.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import { decideNext, type LoopEnd, responseText } from "./stop-reason.ts";
import { streamSink } from "./stream-sink.ts";
import { runToolCalls } from "./tool-turn.ts";

export interface LoopDeps {
  context: ExecutionContext;
  bus: EventBus;
  provider: Provider;
  system: string;
  tools: ModelRequest["tools"];
  maxTokens: number;
  maxSteps: number;
  /** How many tool calls of one turn run at the same time. */
  parallel: number;
  /** Must not throw or reject: failures are results. */
  invoke(call: ToolCall): Promise<ToolResult>;
  /** Whether a call of this tool can change nothing: a run that broke off may repeat it. */
  isReadOnly(name: string): boolean;
  budget: Budget;
  signal: AbortSignal;
}

/** The part of an answer that earlier, cut-off responses have given, and how many of them there were. */
interface Carried {
  text: string;
  continuations: number;
}

/**
 * Observe and act until the model is done, the steps are used up or the signal fires.
 * @throws RuiZNError from the provider or the event log, or the signal's reason; a step that was started is finished
 * first.
 */
export async function runAgentLoop(deps: LoopDeps): Promise<LoopEnd> {
  const carried: Carried = { text: "", continuations: 0 };
  while (deps.context.step < deps.maxSteps) {
    const end = await runStep(deps, carried);
    if (end) return { ...end, text: carried.text + end.text };
  }
  return { reason: "max_steps", stopReason: null, text: carried.text };
}

/** One model response and the tool calls that it asks for. */
async function runStep(deps: LoopDeps, carried: Carried): Promise<LoopEnd | undefined> {
  const { bus, context, signal } = deps;
  signal.throwIfAborted();
  const step = context.beginStep();
  const startedAt = performance.now();
  bus.publish(new StepStartedEvent({ step }));
  let status: "ok" | "error" | "aborted" = "error";
  try {
    const response = await askModel(deps, step);
    const end = await act(deps, { step, response, carried });
    status = "ok";
    return end;
  } catch (error) {
    if (signal.aborted) status = "aborted";
    throw error;
  } finally {
    bus.publish(new StepFinishedEvent({ step, duration_ms: elapsed(startedAt), status }));
  }
}

async function act(
  deps: LoopDeps,
  { step, response, carried }: { step: number; response: ModelResponse; carried: Carried },
): Promise<LoopEnd | undefined> {
  const { bus, context } = deps;
  const toolUses: ToolUseBlock[] = context.addResponse(response.content, response.usage);
  const next = decideNext(response, {
    toolUses: toolUses.length,
    continuations: carried.continuations,
  });
  if (toolUses.length > 0) {
    await runTools(deps, { step, toolUses, refusal: next.kind === "tools" ? undefined : next.refuse });
  }
  if (next.kind === "end") return next.end;
  const goesOn = next.kind === "continue" && next.answerGoesOn;
  carried.text = goesOn ? carried.text + responseText(response) : "";
  carried.continuations = next.kind === "continue" ? carried.continuations + 1 : 0;
  if (next.kind === "continue" && next.say !== undefined) {
    bus.publish(new UserTextEvent({ step, text: next.say }));
    context.addUserText(next.say);
  }
  return undefined;
}

/** Within the budget, or else every call is answered without being run, so that the conversation stays whole. */
async function runTools(
  deps: LoopDeps,
  turn: { step: number; toolUses: ToolUseBlock[]; refusal: string | undefined },
): Promise<void> {
  try {
    if (turn.refusal === undefined) deps.budget.beforeCalls(turn.toolUses);
  } catch (error) {
    await runToolCalls(deps, { ...turn, refusal: "not run: the run's budget is used up" });
    throw error;
  }
  await runToolCalls(deps, turn);
  deps.signal.throwIfAborted();
}

async function askModel(deps: LoopDeps, step: number): Promise<ModelResponse> {
  const { bus, context, provider } = deps;
  const request: ModelRequest = {
    system: deps.system,
    tools: deps.tools,
    messages: context.messages,
    maxTokens: deps.budget.beforeRequest(context.messages, deps.maxTokens),
  };
  bus.publish(new LlmRequestEvent({ step, model: provider.model, messages: context.messages.length }));
  const startedAt = performance.now();
  const response = await provider.stream(request, streamSink(bus, step), deps.signal);
  bus.publish(
    new LlmResponseEvent({
      step,
      id: response.id,
      model: response.model,
      stop_reason: response.stopReason,
      content: response.content,
      cut_tool_uses: response.cutToolUses,
      usage: response.usage,
      total_usage: addUsage(context.usage, response.usage),
      duration_ms: elapsed(startedAt),
      time_to_first_token_ms: response.timeToFirstTokenMs,
      ...(response.requestId === undefined ? {} : { request_id: response.requestId }),
    }),
  );
  deps.budget.afterResponse(response.usage);
  return response;
}

function elapsed(startedAt: number): number {
  return Math.round(performance.now() - startedAt);
}

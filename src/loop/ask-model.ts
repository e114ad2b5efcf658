import { RuiZNError } from "../errors.ts";
import { LlmRequestEvent, LlmResponseEvent } from "../events/run-event.ts";
import { addUsage } from "../messages.ts";
import type { ModelResponse } from "../provider/provider.ts";
import type { LoopDeps } from "./agent-loop.ts";
import { streamSink } from "./stream-sink.ts";

/** One response; a request that the API finds too long is made once more, with less in it. */
export async function askModel(deps: LoopDeps, step: number): Promise<ModelResponse> {
  await deps.fitter.fit(step);
  try {
    return await ask(deps, step);
  } catch (error) {
    if (!(error instanceof RuiZNError) || error.code !== "context_exhausted") throw error;
    if (!(await deps.fitter.refit(step))) throw error;
    return ask(deps, step);
  }
}

async function ask(deps: LoopDeps, step: number): Promise<ModelResponse> {
  const { bus, context, provider, system, tools, fitter } = deps;
  const { messages } = context;
  const maxTokens = deps.budget.beforeRequest(messages, deps.maxTokens);
  const bytes = fitter.bytes;
  bus.publish(new LlmRequestEvent({ step, model: provider.model, messages: messages.length }));
  const startedAt = performance.now();
  const sink = streamSink(bus, step);
  const response = await provider.stream({ system, tools, messages, maxTokens }, sink, deps.signal);
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
      duration_ms: Math.round(performance.now() - startedAt),
      time_to_first_token_ms: response.timeToFirstTokenMs,
      ...(response.requestId === undefined ? {} : { request_id: response.requestId }),
    }),
  );
  deps.budget.afterResponse(response.usage);
  fitter.learn(bytes, response.usage);
  return response;
}

import type { LlmResponseEvent } from "../events/run-event.ts";
import type { ModelResponse } from "../provider/provider.ts";

/** A model's response as the provider gave it, from its event. */
export function recordedResponse(event: LlmResponseEvent): ModelResponse {
  return {
    id: event.id,
    model: event.model,
    content: event.content,
    stopReason: event.stop_reason,
    cutToolUses: event.cut_tool_uses,
    usage: event.usage,
    timeToFirstTokenMs: event.time_to_first_token_ms,
    ...(event.request_id !== undefined && { requestId: event.request_id }),
  };
}

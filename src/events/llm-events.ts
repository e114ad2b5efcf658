import type { RunErrorCode } from "../errors.ts";
import type { AssistantBlock, Usage } from "../messages.ts";
import { EventBase } from "./event-base.ts";

export interface LlmRequestFields {
  step: number;
  model: string;
  messages: number;
}
export interface LlmRequestEvent extends LlmRequestFields {}
export class LlmRequestEvent extends EventBase<LlmRequestFields> {
  readonly type = "llm.request";
}

export interface LlmTokenFields {
  step: number;
  text: string;
}
export interface LlmTokenEvent extends LlmTokenFields {}
export class LlmTokenEvent extends EventBase<LlmTokenFields> {
  readonly type = "llm.token";
}

export interface LlmThinkingFields {
  step: number;
  text: string;
}
export interface LlmThinkingEvent extends LlmThinkingFields {}
export class LlmThinkingEvent extends EventBase<LlmThinkingFields> {
  readonly type = "llm.thinking";
}

/** Tokens of this step that were shown so far belong to a response that broke off; the next attempt starts afresh. */
export interface LlmWithdrawnFields {
  step: number;
  chars: number;
  reason: string;
}
export interface LlmWithdrawnEvent extends LlmWithdrawnFields {}
export class LlmWithdrawnEvent extends EventBase<LlmWithdrawnFields> {
  readonly type = "llm.withdrawn";
}

export interface LlmResponseFields {
  step: number;
  id: string;
  model: string;
  stop_reason: string;
  /** The whole response, as it goes back to the API in the next request. */
  content: AssistantBlock[];
  /** Tool uses that broke off and are not in `content`. */
  cut_tool_uses: number;
  usage: Usage;
  total_usage: Usage;
  /** Milliseconds from the request to the first event of the response's body. */
  time_to_first_token_ms: number;
  duration_ms: number;
  request_id?: string;
}
export interface LlmResponseEvent extends LlmResponseFields {}
export class LlmResponseEvent extends EventBase<LlmResponseFields> {
  readonly type = "llm.response";
}

export interface LlmRetryFields {
  step: number;
  /** 1 for the first retry. */
  attempt: number;
  max_attempts: number;
  delay_ms: number;
  code: RunErrorCode;
  message: string;
  retry_after_ms?: number;
}
export interface LlmRetryEvent extends LlmRetryFields {}
export class LlmRetryEvent extends EventBase<LlmRetryFields> {
  readonly type = "llm.retry";
}

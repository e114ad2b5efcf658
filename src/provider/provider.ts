import type { RunErrorCode } from "../errors.ts";
import type { AssistantBlock, Message, Usage } from "../messages.ts";

/** A tool as the model is told of it. */
export interface ToolDescription {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface ModelRequest {
  system: string;
  /** In the registry's stable order: the request's prefix must not change between steps. */
  tools: readonly ToolDescription[];
  /** Grows by appending; what was sent once is sent again unchanged. */
  messages: readonly Message[];
  maxTokens: number;
}

export interface ModelResponse {
  id: string;
  model: string;
  /** Whole blocks only. A tool_use whose input did not arrive whole is left out and counted in `cutToolUses`. */
  content: AssistantBlock[];
  /** The API's word for why the response ended; this version may not know it. */
  stopReason: string;
  /** What the API says about a refusal, when it says something. */
  stopDetails?: string;
  /** Tool uses that broke off (stop reason max_tokens): never to be run. */
  cutToolUses: number;
  usage: Usage;
  timeToFirstTokenMs: number;
  requestId?: string;
}

export interface RetryNotice {
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  code: RunErrorCode;
  message: string;
  retryAfterMs?: number;
}

/** Where a provider tells what comes in while it streams. */
export interface StreamSink {
  onText(text: string): void;
  onThinking(text: string): void;
  /** What was shown since this call began is void: the response broke off and will be asked for again. */
  onWithdrawn(reason: string): void;
  onRetry(notice: RetryNotice): void;
}

/** One model behind one port. */
export interface Provider {
  readonly name: string;
  readonly model: string;
  /** Tokens that input and output of a request may have together; left out, the model's name says it. */
  readonly contextWindow?: number;
  /** Loads what the first call will need, so that it can happen while something else is waited for. Must not throw. */
  warmUp?(): void;
  /**
   * Streams one response. Retries by itself what is worth retrying.
   * @throws RuiZNError (auth_failed, model_not_found, request_invalid, rate_limited, overloaded, network_error,
   * stream_broken, api_error, malformed_tool_use, context_exhausted), or `aborted` when the signal ends it.
   */
  stream(request: ModelRequest, sink: StreamSink, signal: AbortSignal): Promise<ModelResponse>;
}

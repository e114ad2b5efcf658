import { setTimeout as sleep } from "node:timers/promises";
import { RuiZNError } from "../../errors.ts";
import type { ModelRequest, ModelResponse, Provider, RetryNotice, StreamSink } from "../provider.ts";
import {
  type AnthropicOptions,
  type AnthropicSettings,
  DEFAULT_BASE_URL,
  settle,
} from "./anthropic-options.ts";
import { type Failure, toError } from "./failure.ts";
import { createHttpFetch, type HttpFetch } from "./http-fetch.ts";
import { RequestWriter } from "./request-writer.ts";
import { retryDelay } from "./retry-delay.ts";
import { tryOnce } from "./try-once.ts";

/** Models behind the Messages API: Anthropic's own, and every server that speaks it. */
export class AnthropicProvider implements Provider {
  readonly name = "anthropic";
  readonly model: string;
  readonly #settings: AnthropicSettings;
  readonly #writer: RequestWriter;
  readonly #fetch: HttpFetch;

  /** @throws RuiZNError settings_invalid, auth_failed */
  constructor(options: AnthropicOptions) {
    this.#settings = settle(options);
    this.model = options.model;
    this.#writer = new RequestWriter(this.#settings);
    this.#fetch = createHttpFetch(this.#settings);
  }

  warmUp(): void {
    // What goes wrong here goes wrong again in the call, and is told there.
    import("./sdk.ts").catch(() => {});
  }

  async stream(request: ModelRequest, sink: StreamSink, signal: AbortSignal): Promise<ModelResponse> {
    const settings = this.#settings;
    refuseHopeless(request, settings);
    const body = this.#writer.write(request);
    const failed: Failure[] = [];
    for (;;) {
      if (signal.aborted) throw aborted(signal);
      const outcome = await tryOnce({ settings, fetch: this.#fetch, body, sink, signal });
      if ("response" in outcome) return outcome.response;
      if (signal.aborted) throw aborted(signal);
      const { failure, shown } = outcome;
      if (shown) sink.onWithdrawn(failure.message);
      failed.push(failure);
      const tries = { all: failed.length, alike: failed.filter(({ code }) => code === failure.code).length };
      const delayMs = retryDelay(failure, tries, settings);
      if (delayMs === undefined) throw toError(failure, tries.all);
      sink.onRetry(notice(failure, { attempt: tries.all, delayMs, settings }));
      await sleep(delayMs, undefined, { signal }).catch(() => {});
    }
  }
}

/** What no server could answer well is said before anything is sent. */
function refuseHopeless(request: ModelRequest, { credential, baseUrl, thinking }: AnthropicSettings): void {
  if (!credential && baseUrl === DEFAULT_BASE_URL) {
    throw new RuiZNError("auth_failed", "there is no API key", {
      hint: "set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a server that needs none",
    });
  }
  if (typeof thinking === "number" && thinking >= request.maxTokens) {
    throw new RuiZNError(
      "request_invalid",
      `the thinking budget of ${thinking} tokens leaves nothing of the ${request.maxTokens} tokens of a response`,
      { hint: "raise --max-tokens or lower the thinking budget" },
    );
  }
}

function notice(
  failure: Failure,
  { attempt, delayMs, settings }: { attempt: number; delayMs: number; settings: AnthropicSettings },
): RetryNotice {
  return {
    attempt,
    maxAttempts: Math.min(settings.maxRetries, failure.retries),
    delayMs,
    code: failure.code,
    message: failure.message,
    ...(failure.retryAfterMs === undefined ? {} : { retryAfterMs: failure.retryAfterMs }),
  };
}

function aborted(signal: AbortSignal): RuiZNError {
  return new RuiZNError("aborted", "the request to the model was aborted", { cause: signal.reason });
}

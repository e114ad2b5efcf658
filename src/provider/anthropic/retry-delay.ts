import type { AnthropicSettings } from "./anthropic-options.ts";
import type { Failure } from "./failure.ts";

const MAX_BACKOFF_MS = 30_000;

/**
 * How long to wait before the next try, in milliseconds; undefined when there is to be none. What the server asks to
 * wait is waited at least, and where that is longer than allowed, trying again earlier would only be refused again.
 */
export function retryDelay(
  failure: Failure,
  tries: number,
  settings: Pick<AnthropicSettings, "maxRetries" | "retryBaseMs" | "retryAfterMaxMs">,
  random: () => number = Math.random,
): number | undefined {
  if (tries > Math.min(settings.maxRetries, failure.retries)) return undefined;
  const asked = failure.retryAfterMs ?? 0;
  if (asked > settings.retryAfterMaxMs) return undefined;
  const backoff = Math.min(settings.retryBaseMs * 2 ** (tries - 1), MAX_BACKOFF_MS);
  // Jitter, so that many runs that were turned away together do not come back together.
  return Math.round(Math.max(asked, backoff * 0.75) + backoff * 0.25 * random());
}

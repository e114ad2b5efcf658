import type { AnthropicSettings } from "./anthropic-options.ts";
import type { Failure } from "./failure.ts";

const MAX_BACKOFF_MS = 30_000;

/** How often a response was asked for, and how often that ended in this kind of failure. */
export interface Tries {
  all: number;
  alike: number;
}

/**
 * How long to wait before the next try, in milliseconds; undefined when there is to be none. What the server asks to
 * wait is waited at least, and where that is longer than allowed, trying again earlier would only be refused again.
 */
export function retryDelay(
  failure: Failure,
  tries: Tries,
  settings: Pick<AnthropicSettings, "maxRetries" | "retryBaseMs" | "retryAfterMaxMs">,
  random: () => number = Math.random,
): number | undefined {
  if (tries.all > settings.maxRetries || tries.alike > failure.retries) return undefined;
  const asked = failure.retryAfterMs ?? 0;
  if (asked > settings.retryAfterMaxMs) return undefined;
  const backoff = Math.min(settings.retryBaseMs * 2 ** (tries.all - 1), MAX_BACKOFF_MS);
  // Jitter, so that many runs that were turned away together do not come back together.
  return Math.round(Math.max(asked, backoff * 0.75) + backoff * 0.25 * random());
}

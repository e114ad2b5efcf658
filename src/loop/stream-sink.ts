import type { EventBus } from "../events/event-bus.ts";
import { LlmRetryEvent, LlmThinkingEvent, LlmTokenEvent, LlmWithdrawnEvent } from "../events/run-event.ts";
import type { StreamSink } from "../provider/provider.ts";

/** Turns what a provider streams into events of one step. */
export function streamSink(bus: EventBus, step: number): StreamSink {
  let shownChars = 0;
  return {
    onText(text) {
      shownChars += text.length;
      bus.publish(new LlmTokenEvent({ step, text }));
    },
    onThinking(text) {
      bus.publish(new LlmThinkingEvent({ step, text }));
    },
    onWithdrawn(reason) {
      if (shownChars > 0) bus.publish(new LlmWithdrawnEvent({ step, chars: shownChars, reason }));
      shownChars = 0;
    },
    onRetry(notice) {
      bus.publish(
        new LlmRetryEvent({
          step,
          attempt: notice.attempt,
          max_attempts: notice.maxAttempts,
          delay_ms: notice.delayMs,
          code: notice.code,
          message: notice.message,
          ...(notice.retryAfterMs === undefined ? {} : { retry_after_ms: notice.retryAfterMs }),
        }),
      );
    },
  };
}

import type { EventBus } from "../events/event-bus.ts";
import { LlmWithdrawnEvent } from "../events/run-event.ts";
import type { PastRun } from "./resume-run.ts";

/** What was shown of a response that did not become whole is void. */
export function withdrawShown({ history, rebuilt }: PastRun, bus: EventBus): void {
  const { openStep: step } = rebuilt;
  if (step === undefined || history.shownChars === 0) return;
  const reason = "the run broke off before the response was whole";
  bus.publish(new LlmWithdrawnEvent({ step, chars: history.shownChars, reason }));
}

import { RuiZNError } from "../errors.ts";

/** Aborts with the error of a run that took too long; no timer when there is no limit. */
export function startDeadline(
  deadline: AbortController,
  timeoutMs: number | undefined,
): NodeJS.Timeout | undefined {
  if (timeoutMs === undefined) return undefined;
  const reason = new RuiZNError("timeout", `the run's time limit of ${timeoutMs} ms is over`, {
    hint: "raise --timeout",
  });
  return setTimeout(() => deadline.abort(reason), timeoutMs);
}

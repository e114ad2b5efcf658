import { type RunErrorCode, RuiZNError } from "../errors.ts";
import type { RunError, TerminalReason } from "../events/run-event.ts";
import type { LoopEnd } from "../loop/stop-reason.ts";
import { INTERRUPT_SIGNALS, type InterruptSignal } from "./run-result.ts";

/** How a run ended, whichever way it came about. */
export interface RunEnd {
  reason: TerminalReason;
  stopReason: string | null;
  text: string;
  errors: RunError[];
  signal?: InterruptSignal;
}

const CODE_OF_REASON: Record<Exclude<TerminalReason, "completed">, RunErrorCode> = {
  max_steps: "max_steps",
  timeout: "timeout",
  budget_exhausted: "budget_exhausted",
  api_error: "api_error",
  refusal: "refusal",
  context_exhausted: "context_exhausted",
  permission_denied: "permission_denied",
  malformed_tool_use: "malformed_tool_use",
  structured_output_failed: "malformed_tool_use",
  seal_unavailable: "seal_unavailable",
  canary_seen: "canary_seen",
  log_failure: "log_unwritable",
  aborted: "aborted",
};

/** The loop came to its own end; `failed` says why that is still not good enough, `partialText` what was said last. */
export function endOfLoop(end: LoopEnd, failed: RuiZNError | undefined, partialText: string): RunEnd {
  const base = { stopReason: end.stopReason, text: end.text };
  if (end.reason === "completed") {
    if (!failed) return { ...base, reason: "completed", errors: [] };
    const reason = failed.code === "permission_denied" ? "permission_denied" : "completed";
    return { ...base, reason, errors: [asRunError(failed)] };
  }
  const code = CODE_OF_REASON[end.reason];
  if (end.reason === "max_steps") {
    const text = end.text === "" ? partialText : end.text;
    return { ...base, text, reason: end.reason, errors: [{ code, message: "the step limit is reached" }] };
  }
  const message = end.detail ?? end.reason;
  return { ...base, reason: end.reason, errors: [{ code, message }] };
}

/** The loop was ended by an error or by the signal. */
export function endOfError(thrown: unknown, signal: AbortSignal, text: string): RunEnd {
  const base = { stopReason: null, text };
  const error = toRuiZNError(thrown);
  // A log that can't be written outweighs the abort that may have come first.
  if (signal.aborted && error.code !== "log_unwritable") return { ...base, ...endOfAbort(signal.reason) };
  return { ...base, reason: reasonOfCode(error.code), errors: [asRunError(error)] };
}

function endOfAbort(reason: unknown): Pick<RunEnd, "reason" | "errors" | "signal"> {
  if (reason instanceof RuiZNError)
    return { reason: reasonOfCode(reason.code), errors: [asRunError(reason)] };
  const signal = INTERRUPT_SIGNALS.find((name) => name === reason);
  const message = signal === undefined ? "the run was aborted" : `interrupted by ${signal}`;
  return {
    reason: "aborted",
    errors: [{ code: "aborted", message }],
    ...(signal === undefined ? {} : { signal }),
  };
}

function reasonOfCode(code: RunErrorCode): TerminalReason {
  const known = Object.entries(CODE_OF_REASON).find(([, value]) => value === code);
  return known ? (known[0] as TerminalReason) : "api_error";
}

export function toRuiZNError(thrown: unknown): RuiZNError {
  if (thrown instanceof RuiZNError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new RuiZNError("internal", message, { cause: thrown });
}

export function asRunError(error: RuiZNError): RunError {
  const { code, message, hint } = error;
  return { code, message, ...(hint === undefined ? {} : { hint }) };
}

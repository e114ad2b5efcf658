import type { RunError } from "../events/run-event.ts";
import type { RunResult } from "../runner/run-result.ts";

/** The one object of `--output-format json`. */
export function resultJson(result: RunResult): string {
  return line({
    subtype: result.subtype,
    is_error: result.isError,
    result: result.result,
    run_id: result.runId,
    num_steps: result.numSteps,
    duration_ms: result.durationMs,
    duration_api_ms: result.durationApiMs,
    total_cost_usd: result.totalCostUsd,
    usage: result.usage,
    model_usage: result.modelUsage,
    permission_denials: result.permissionDenials,
    stop_reason: result.stopReason,
    terminal_reason: result.terminalReason,
    errors: result.errors,
  });
}

/** The same object for a run that could not begin. */
export function failureJson(error: RunError): string {
  return line({ subtype: `error_${error.code}`, is_error: true, errors: [error] });
}

function line(fields: Record<string, unknown>): string {
  return `${JSON.stringify({ ...NOTHING, ...fields })}\n`;
}

/** Every field there is, in order; `null` for what is not known. */
const NOTHING = {
  type: "result",
  subtype: null,
  is_error: null,
  result: "",
  structured_output: null,
  run_id: null,
  num_steps: 0,
  duration_ms: 0,
  duration_api_ms: 0,
  total_cost_usd: null,
  usage: null,
  model_usage: {},
  permission_denials: [],
  stop_reason: null,
  terminal_reason: null,
  errors: [],
};

import type { RunErrorCode } from "../errors.ts";
import type { InterruptSignal, RunResult } from "../runner/run-result.ts";

/** Every code the command exits with, the same in every output mode. docs/cli.md has a row for each. */
export const EXIT = {
  success: 0,
  failure: 1,
  usage: 2,
  authentication: 41,
  badInput: 42,
  sealUnavailable: 44,
  settingsInvalid: 52,
  stepLimit: 53,
  toolFailed: 54,
  workspaceUntrusted: 55,
  permissionDenied: 56,
  budgetExhausted: 57,
  refusal: 58,
  contextExhausted: 59,
  logUnwritable: 60,
  canarySeen: 61,
  findings: 62,
  reviewIncomplete: 63,
  timeout: 124,
  sighup: 129,
  sigint: 130,
  sigterm: 143,
} as const;

const EXIT_BY_ERROR: Record<RunErrorCode, number> = {
  usage_invalid: EXIT.usage,
  input_invalid: EXIT.badInput,
  settings_invalid: EXIT.settingsInvalid,
  workspace_invalid: EXIT.badInput,
  workspace_untrusted: EXIT.workspaceUntrusted,
  tool_invalid: EXIT.settingsInvalid,
  auth_failed: EXIT.authentication,
  model_not_found: EXIT.failure,
  request_invalid: EXIT.failure,
  rate_limited: EXIT.failure,
  overloaded: EXIT.failure,
  network_error: EXIT.failure,
  stream_broken: EXIT.failure,
  api_error: EXIT.failure,
  malformed_tool_use: EXIT.failure,
  refusal: EXIT.refusal,
  context_exhausted: EXIT.contextExhausted,
  max_steps: EXIT.stepLimit,
  budget_exhausted: EXIT.budgetExhausted,
  timeout: EXIT.timeout,
  aborted: EXIT.failure,
  seal_unavailable: EXIT.sealUnavailable,
  permission_denied: EXIT.permissionDenied,
  tool_failed: EXIT.toolFailed,
  canary_seen: EXIT.canarySeen,
  replay_mismatch: EXIT.failure,
  log_unwritable: EXIT.logUnwritable,
  internal: EXIT.failure,
};

export function exitCodeOf(code: RunErrorCode): number {
  return EXIT_BY_ERROR[code];
}

const EXIT_BY_SIGNAL: Record<InterruptSignal, number> = {
  SIGINT: EXIT.sigint,
  SIGTERM: EXIT.sigterm,
  SIGHUP: EXIT.sighup,
};

export function exitCodeOfSignal(signal: InterruptSignal): number {
  return EXIT_BY_SIGNAL[signal];
}

/** 0 exactly when the run succeeded. */
export function exitCodeOfResult({ isError, signal, errors }: RunResult): number {
  if (!isError) return EXIT.success;
  if (signal !== undefined) return exitCodeOfSignal(signal);
  return errors[0] ? exitCodeOf(errors[0].code) : EXIT.failure;
}

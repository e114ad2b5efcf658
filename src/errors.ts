/** Every way a tool call can fail. A closed set: one row each in docs/errors.md, held together by a pin test. */
export const TOOL_ERROR_TYPES = [
  "unknown_tool",
  "invalid_input",
  "permission_error",
  "not_found",
  "timeout",
  "cancelled",
  "interrupted",
  "memory_limit",
  "output_limit",
  "worker_crash",
  "result_rejected",
  "seal_unavailable",
  "runtime_error",
] as const;

export type ToolErrorType = (typeof TOOL_ERROR_TYPES)[number];

/** Every way a run as a whole can fail. A closed set: one row each in docs/errors.md, held together by a pin test. */
export const RUN_ERROR_CODES = [
  "usage_invalid",
  "input_invalid",
  "settings_invalid",
  "workspace_invalid",
  "workspace_untrusted",
  "tool_invalid",
  "auth_failed",
  "model_not_found",
  "request_invalid",
  "rate_limited",
  "overloaded",
  "network_error",
  "stream_broken",
  "api_error",
  "malformed_tool_use",
  "refusal",
  "context_exhausted",
  "max_steps",
  "budget_exhausted",
  "timeout",
  "aborted",
  "seal_unavailable",
  "permission_denied",
  "tool_failed",
  "canary_seen",
  "replay_mismatch",
  "log_unwritable",
  "internal",
] as const;

export type RunErrorCode = (typeof RUN_ERROR_CODES)[number];

/**
 * The one class thrown on purpose. `message` is a single line that names the thing and the value; `hint` says what to
 * do next. Nobody matches on the text: `code` decides.
 */
export class RuiZNError extends Error {
  override readonly name = "RuiZNError";
  readonly code: RunErrorCode;
  readonly hint: string | undefined;

  constructor(code: RunErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, "cause" in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint;
  }
}

import type { RunErrorCode } from "../errors.ts";
import type { Usage } from "../messages.ts";
import { EventBase } from "./event-base.ts";

/** What the runtime's attack on its own seal showed. `held` only when every attempt failed. */
export interface SealReport {
  state: "held" | "partial" | "unavailable" | "off";
  /** Landlock ABI the kernel offers; 0 when there is none. */
  landlock_abi: number;
  seccomp: boolean;
  /** Attempts that got through, by name; empty when all were stopped. */
  escaped: string[];
  /** Why there is no seal, in one line; absent when there is one. */
  reason?: string;
}

export interface RunStartedFields {
  version: string;
  goal: string;
  provider: string;
  model: string;
  workspace: string;
  tools: string[];
  /** Steps, tokens and milliseconds, and every budget under its own name. */
  limits: Record<string, number>;
  /** Version of the built-in prices, `own` for the user's, null when the model has no price. */
  price_table?: string | null;
  policy_hash: string;
  settings_hash: string;
  isolation: "thread" | "process";
  seal: SealReport;
  system: string;
  resumed_from?: number;
}
export interface RunStartedEvent extends RunStartedFields {}
export class RunStartedEvent extends EventBase<RunStartedFields> {
  readonly type = "run.started";
}

/** Why the run ended, in the words of the JSON result. */
export type TerminalReason =
  | "completed"
  | "max_steps"
  | "timeout"
  | "budget_exhausted"
  | "api_error"
  | "refusal"
  | "context_exhausted"
  | "permission_denied"
  | "malformed_tool_use"
  | "structured_output_failed"
  | "seal_unavailable"
  | "canary_seen"
  | "log_failure"
  | "aborted";

export type RunStatus = "success" | "error" | "aborted";

export interface RunError {
  code: RunErrorCode;
  message: string;
  hint?: string;
}

export interface RunFinishedFields {
  status: RunStatus;
  terminal_reason: TerminalReason;
  stop_reason: string | null;
  steps: number;
  duration_ms: number;
  duration_api_ms: number;
  total_usage: Usage;
  result: string;
  errors: RunError[];
  /** The signal that ended the run, when one did. */
  signal?: "SIGINT" | "SIGTERM" | "SIGHUP";
}
export interface RunFinishedEvent extends RunFinishedFields {}
export class RunFinishedEvent extends EventBase<RunFinishedFields> {
  readonly type = "run.finished";
}

export interface StepStartedFields {
  step: number;
}
export interface StepStartedEvent extends StepStartedFields {}
export class StepStartedEvent extends EventBase<StepStartedFields> {
  readonly type = "step.started";
}

export interface StepFinishedFields {
  step: number;
  duration_ms: number;
  status: "ok" | "error" | "aborted";
}
export interface StepFinishedEvent extends StepFinishedFields {}
export class StepFinishedEvent extends EventBase<StepFinishedFields> {
  readonly type = "step.finished";
}

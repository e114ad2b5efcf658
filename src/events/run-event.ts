import type { RunErrorCode, ToolErrorType } from "../errors.ts";
import type { AssistantBlock, ImageBlock, TextBlock, Usage } from "../messages.ts";

/**
 * What happened in a run. Types are dotted and past-tense nouns (`run.started` is RunStartedEvent); fields are
 * snake_case because they are what stands in events.jsonl. docs/events.md has a row for each type, held by a test.
 */
abstract class EventBase<Fields extends object> {
  constructor(fields: Fields) {
    Object.assign(this, fields);
  }
}

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
  limits: Record<string, number>;
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

export interface LlmRequestFields {
  step: number;
  model: string;
  messages: number;
}
export interface LlmRequestEvent extends LlmRequestFields {}
export class LlmRequestEvent extends EventBase<LlmRequestFields> {
  readonly type = "llm.request";
}

export interface LlmTokenFields {
  step: number;
  text: string;
}
export interface LlmTokenEvent extends LlmTokenFields {}
export class LlmTokenEvent extends EventBase<LlmTokenFields> {
  readonly type = "llm.token";
}

export interface LlmThinkingFields {
  step: number;
  text: string;
}
export interface LlmThinkingEvent extends LlmThinkingFields {}
export class LlmThinkingEvent extends EventBase<LlmThinkingFields> {
  readonly type = "llm.thinking";
}

/** Tokens of this step that were shown so far belong to a response that broke off; the next attempt starts afresh. */
export interface LlmWithdrawnFields {
  step: number;
  chars: number;
  reason: string;
}
export interface LlmWithdrawnEvent extends LlmWithdrawnFields {}
export class LlmWithdrawnEvent extends EventBase<LlmWithdrawnFields> {
  readonly type = "llm.withdrawn";
}

export interface LlmResponseFields {
  step: number;
  id: string;
  model: string;
  stop_reason: string;
  /** The whole response, as it goes back to the API in the next request. */
  content: AssistantBlock[];
  /** Tool uses that broke off and are not in `content`. */
  cut_tool_uses: number;
  usage: Usage;
  total_usage: Usage;
  /** Milliseconds from the request to the first event of the response's body. */
  time_to_first_token_ms: number;
  duration_ms: number;
  request_id?: string;
}
export interface LlmResponseEvent extends LlmResponseFields {}
export class LlmResponseEvent extends EventBase<LlmResponseFields> {
  readonly type = "llm.response";
}

export interface LlmRetryFields {
  step: number;
  /** 1 for the first retry. */
  attempt: number;
  max_attempts: number;
  delay_ms: number;
  code: RunErrorCode;
  message: string;
  retry_after_ms?: number;
}
export interface LlmRetryEvent extends LlmRetryFields {}
export class LlmRetryEvent extends EventBase<LlmRetryFields> {
  readonly type = "llm.retry";
}

export interface ToolCallStartedFields {
  step: number;
  call_id: string;
  name: string;
  input: unknown;
  /** The tool's readOnlyHint. Left out, a resume takes the call for one that may have written. */
  read_only?: boolean;
}
export interface ToolCallStartedEvent extends ToolCallStartedFields {}
export class ToolCallStartedEvent extends EventBase<ToolCallStartedFields> {
  readonly type = "tool_call.started";
}

export interface ToolCallFinishedFields {
  step: number;
  call_id: string;
  name: string;
  is_error: boolean;
  error_type: ToolErrorType | null;
  duration_ms: number;
  /** UTF-8 bytes of the content that the model is shown. */
  bytes_shown: number;
  /** Bytes there were to show, when the tool knows: of a file its size. */
  bytes_total: number | null;
  truncated: boolean;
  content: (TextBlock | ImageBlock)[];
  data: Record<string, unknown>;
  isolation: "thread" | "process" | "none";
  seal: "held" | "partial" | "unavailable" | "off" | "none";
}
export interface ToolCallFinishedEvent extends ToolCallFinishedFields {}
export class ToolCallFinishedEvent extends EventBase<ToolCallFinishedFields> {
  readonly type = "tool_call.finished";
}

/** The runtime itself spoke to the model: a user message that is not the goal and not a tool result. */
export interface UserTextFields {
  step: number;
  text: string;
}
export interface UserTextEvent extends UserTextFields {}
export class UserTextEvent extends EventBase<UserTextFields> {
  readonly type = "user.text";
}

export interface BudgetWarningFields {
  budget: string;
  used: number;
  limit: number;
}
export interface BudgetWarningEvent extends BudgetWarningFields {}
export class BudgetWarningEvent extends EventBase<BudgetWarningFields> {
  readonly type = "budget.warning";
}

export interface BudgetExceededEvent extends BudgetWarningFields {}
export class BudgetExceededEvent extends EventBase<BudgetWarningFields> {
  readonly type = "budget.exceeded";
}

/** A layer caught what an earlier one let through: the worker's reply did not pass the re-check. */
export interface GuardViolationFields {
  step: number;
  call_id: string;
  name: string;
  /** Which check failed, one of the closed set in src/sandbox/recheck.ts. */
  check: string;
  detail: string;
}
export interface GuardViolationEvent extends GuardViolationFields {}
export class GuardViolationEvent extends EventBase<GuardViolationFields> {
  readonly type = "guard.violation";
}

/** A subscriber threw and was dropped; the run goes on without it. */
export interface SubscriberDroppedFields {
  subscriber: string;
  message: string;
}
export interface SubscriberDroppedEvent extends SubscriberDroppedFields {}
export class SubscriberDroppedEvent extends EventBase<SubscriberDroppedFields> {
  readonly type = "subscriber.dropped";
}

export type RunEvent =
  | RunStartedEvent
  | RunFinishedEvent
  | StepStartedEvent
  | StepFinishedEvent
  | LlmRequestEvent
  | LlmTokenEvent
  | LlmThinkingEvent
  | LlmWithdrawnEvent
  | LlmResponseEvent
  | LlmRetryEvent
  | ToolCallStartedEvent
  | ToolCallFinishedEvent
  | UserTextEvent
  | BudgetWarningEvent
  | BudgetExceededEvent
  | GuardViolationEvent
  | SubscriberDroppedEvent;

export type RunEventType = RunEvent["type"];

/** Every type at run time; a record, so that the compiler asks for each. */
const TYPES: Record<RunEventType, true> = {
  "run.started": true,
  "run.finished": true,
  "step.started": true,
  "step.finished": true,
  "llm.request": true,
  "llm.token": true,
  "llm.thinking": true,
  "llm.withdrawn": true,
  "llm.response": true,
  "llm.retry": true,
  "tool_call.started": true,
  "tool_call.finished": true,
  "user.text": true,
  "budget.warning": true,
  "budget.exceeded": true,
  "guard.violation": true,
  "subscriber.dropped": true,
};

export const RUN_EVENT_TYPES = Object.keys(TYPES) as readonly RunEventType[];

export function isRunEventType(type: string): type is RunEventType {
  return Object.hasOwn(TYPES, type);
}

/** Schema version of a line in events.jsonl. Additions keep it; a change of meaning raises it. */
export const EVENT_SCHEMA_VERSION = 1;

/** What the bus adds to an event when it is published. */
export interface EventStamp {
  v: typeof EVENT_SCHEMA_VERSION;
  /** From 1, without gaps. */
  seq: number;
  /** RFC 3339, UTC, milliseconds. */
  ts: string;
  run_id: string;
}

export interface StampedEvent {
  readonly stamp: EventStamp;
  readonly event: RunEvent;
}

/**
 * One event as one line of JSON, without the line feed: stamp, type, then the event's own fields. JSON escapes every
 * LF; U+2028 and U+2029 stay as they are.
 */
export function eventLine({ stamp, event }: StampedEvent): string {
  return JSON.stringify(Object.assign({}, stamp, { type: event.type }, event));
}

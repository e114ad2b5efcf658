import type { ContextClearedEvent, ContextSummarisedEvent } from "./context-events.ts";
import type {
  LlmRequestEvent,
  LlmResponseEvent,
  LlmRetryEvent,
  LlmThinkingEvent,
  LlmTokenEvent,
  LlmWithdrawnEvent,
} from "./llm-events.ts";
import type {
  RunFinishedEvent,
  RunStartedEvent,
  StepFinishedEvent,
  StepStartedEvent,
} from "./run-step-events.ts";
import type {
  BudgetExceededEvent,
  BudgetWarningEvent,
  SubscriberDroppedEvent,
  UserTextEvent,
} from "./runtime-events.ts";
import type {
  GuardViolationEvent,
  ToolCallFinishedEvent,
  ToolCallProgressedEvent,
  ToolCallStartedEvent,
} from "./tool-events.ts";

export * from "./context-events.ts";
export * from "./llm-events.ts";
export * from "./run-step-events.ts";
export * from "./runtime-events.ts";
export * from "./tool-events.ts";

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
  | ToolCallProgressedEvent
  | ToolCallFinishedEvent
  | UserTextEvent
  | ContextClearedEvent
  | ContextSummarisedEvent
  | BudgetWarningEvent
  | BudgetExceededEvent
  | GuardViolationEvent
  | SubscriberDroppedEvent;

export type RunEventType = RunEvent["type"];

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

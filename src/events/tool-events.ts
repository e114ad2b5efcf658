import type { ToolErrorType } from "../errors.ts";
import type { ImageBlock, TextBlock } from "../messages.ts";
import { EventBase } from "./event-base.ts";

export interface ToolCallStartedFields {
  step: number;
  call_id: string;
  name: string;
  input: unknown;
  /** The tool's readOnlyHint. Left out, a resume takes the call for one that may have written. */
  read_only?: boolean;
  /** From 2 on: the run broke off during the call and makes it again. */
  attempt?: number;
}
export interface ToolCallStartedEvent extends ToolCallStartedFields {}
export class ToolCallStartedEvent extends EventBase<ToolCallStartedFields> {
  readonly type = "tool_call.started";
}

/** Something that a tool of the user's says while its call runs: how far it has come, or a line of its own log. */
export interface ToolCallProgressedFields {
  step: number;
  call_id: string;
  name: string;
  level: "progress" | "info" | "warn" | "error";
  text: string;
  /** How much is done, from 0 to 1, when the tool says so. */
  share?: number;
}
export interface ToolCallProgressedEvent extends ToolCallProgressedFields {}
export class ToolCallProgressedEvent extends EventBase<ToolCallProgressedFields> {
  readonly type = "tool_call.progressed";
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
  /** The call was interrupted and is made again: this is no answer, and the model is not shown it. */
  superseded?: true;
}
export interface ToolCallFinishedEvent extends ToolCallFinishedFields {}
export class ToolCallFinishedEvent extends EventBase<ToolCallFinishedFields> {
  readonly type = "tool_call.finished";
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

import type { Usage } from "../messages.ts";
import { EventBase } from "./event-base.ts";

/** Old tool results gave way to notes, because the next request would not have fitted the model's window well. */
export interface ContextClearedFields {
  step: number;
  /** Each with the note that the model is shown instead from now on. */
  cleared: { call_id: string; note: string }[];
  /** What the next request would have cost, and what it is expected to cost now. */
  tokens_before: number;
  tokens_after: number;
}
export interface ContextClearedEvent extends ContextClearedFields {}
export class ContextClearedEvent extends EventBase<ContextClearedFields> {
  readonly type = "context.cleared";
}

/** The model has summarised the older turns; from now on the summary stands in their place. */
export interface ContextSummarisedFields {
  step: number;
  /** How many messages it stands for; the first message of all, which holds the goal, is not among them. */
  messages: number;
  /** What is added to the first message. */
  text: string;
  model: string;
  usage: Usage;
  duration_ms: number;
  tokens_before: number;
  tokens_after: number;
}
export interface ContextSummarisedEvent extends ContextSummarisedFields {}
export class ContextSummarisedEvent extends EventBase<ContextSummarisedFields> {
  readonly type = "context.summarised";
}

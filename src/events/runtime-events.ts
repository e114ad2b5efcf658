import { EventBase } from "./event-base.ts";

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

/** A subscriber threw and was dropped; the run goes on without it. */
export interface SubscriberDroppedFields {
  subscriber: string;
  message: string;
}
export interface SubscriberDroppedEvent extends SubscriberDroppedFields {}
export class SubscriberDroppedEvent extends EventBase<SubscriberDroppedFields> {
  readonly type = "subscriber.dropped";
}

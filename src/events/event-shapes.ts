import { NO_USAGE } from "../messages.ts";
import type { RunEvent, RunEventType } from "./run-event.ts";

type Check = (value: unknown) => boolean;

/** One check for each field; the compiler asks for every field of every event. */
type Shapes = {
  [Type in RunEventType]: { [Field in keyof Omit<Extract<RunEvent, { type: Type }>, "type">]-?: Check };
};

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number";
const flag: Check = (value) => typeof value === "boolean";
const anything: Check = () => true;
const object: Check = isObject;
const numbers: Check = (value) => isObject(value) && Object.values(value).every(number);
const usage: Check = (value) => numbers(value) && hasAll(value, Object.keys(NO_USAGE));
const errors: Check = (value) =>
  listOf((item) => isObject(item) && text(item["code"]) && text(item["message"]))(value);
const seal: Check = (value) => isObject(value) && text(value["state"]) && Array.isArray(value["escaped"]);
const blocks: Check = listOf(isBlock);

const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasAll(value: unknown, names: string[]): boolean {
  return isObject(value) && names.every((name) => name in value);
}

/** Any block with a type; of those that are looked into, what is looked at. */
function isBlock(value: unknown): boolean {
  if (!isObject(value) || !text(value["type"])) return false;
  if (value["type"] === "text") return text(value["text"]);
  if (value["type"] === "tool_use") return text(value["id"]) && text(value["name"]);
  return true;
}

const budget = { budget: text, used: number, limit: number };

const SHAPES: Shapes = {
  "run.started": {
    version: text,
    goal: text,
    provider: text,
    model: text,
    workspace: text,
    tools: listOf(text),
    limits: numbers,
    price_table: optional(nullable(text)),
    policy_hash: text,
    settings_hash: text,
    isolation: text,
    seal,
    system: text,
    resumed_from: optional(number),
  },
  "run.finished": {
    status: (value) => value === "success" || value === "error" || value === "aborted",
    terminal_reason: text,
    stop_reason: nullable(text),
    steps: number,
    duration_ms: number,
    duration_api_ms: number,
    total_usage: usage,
    result: text,
    errors,
    signal: optional(text),
  },
  "step.started": { step: number },
  "step.finished": { step: number, duration_ms: number, status: text },
  "llm.request": { step: number, model: text, messages: number },
  "llm.token": { step: number, text },
  "llm.thinking": { step: number, text },
  "llm.withdrawn": { step: number, chars: number, reason: text },
  "llm.response": {
    step: number,
    id: text,
    model: text,
    stop_reason: text,
    content: blocks,
    cut_tool_uses: number,
    usage,
    total_usage: usage,
    time_to_first_token_ms: number,
    duration_ms: number,
    request_id: optional(text),
  },
  "llm.retry": {
    step: number,
    attempt: number,
    max_attempts: number,
    delay_ms: number,
    code: text,
    message: text,
    retry_after_ms: optional(number),
  },
  "tool_call.started": {
    step: number,
    call_id: text,
    name: text,
    input: anything,
    read_only: optional(flag),
    attempt: optional(number),
  },
  "tool_call.progressed": {
    step: number,
    call_id: text,
    name: text,
    level: text,
    text,
    share: optional(number),
  },
  "tool_call.finished": {
    step: number,
    call_id: text,
    name: text,
    is_error: flag,
    error_type: nullable(text),
    duration_ms: number,
    bytes_shown: number,
    bytes_total: nullable(number),
    truncated: flag,
    content: blocks,
    data: object,
    isolation: text,
    seal: text,
    superseded: optional(flag),
  },
  "user.text": { step: number, text },
  "context.cleared": {
    step: number,
    cleared: listOf((item) => isObject(item) && text(item["call_id"]) && text(item["note"])),
    tokens_before: number,
    tokens_after: number,
  },
  "context.summarised": {
    step: number,
    messages: number,
    text,
    model: text,
    usage,
    duration_ms: number,
    tokens_before: number,
    tokens_after: number,
  },
  "budget.warning": budget,
  "budget.exceeded": budget,
  "guard.violation": { step: number, call_id: text, name: text, check: text, detail: text },
  "subscriber.dropped": { subscriber: text, message: text },
};

export const RUN_EVENT_TYPES = Object.keys(SHAPES) as readonly RunEventType[];

export function isRunEventType(type: string): type is RunEventType {
  return Object.hasOwn(SHAPES, type);
}

/** A field of this event that is missing or of a wrong kind; undefined when there is none. */
export function wrongField(type: RunEventType, fields: Record<string, unknown>): string | undefined {
  const checks: Record<string, Check> = SHAPES[type];
  return Object.keys(checks).find((name) => !checks[name]?.(fields[name]));
}

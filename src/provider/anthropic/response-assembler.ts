import type { AssistantBlock, Usage } from "../../messages.ts";
import { NO_USAGE } from "../../messages.ts";
import type { ModelResponse, StreamSink } from "../provider.ts";
import type { ApiProblem } from "./api-failure.ts";
import { OpenBlock } from "./open-block.ts";

/** What is wrong with a stream: an error the API has sent, or something that is no Messages stream. */
export type StreamProblem =
  | { kind: "api"; problem: ApiProblem }
  | { kind: "broken"; why: string }
  | { kind: "foreign" }
  | { kind: "malformed"; why: string };

/** Stop reasons with which a response may end in the middle of a block. */
const CUTTING = new Set(["max_tokens", "model_context_window_exceeded", "refusal"]);

interface StreamEvent {
  type?: string;
  index?: number;
  message?: { id?: string; model?: string; usage?: unknown };
  content_block?: { type: string; [key: string]: unknown };
  delta?: { type?: string; stop_reason?: string | null; stop_details?: unknown; [key: string]: unknown };
  usage?: unknown;
  error?: { type?: string; message?: string };
}

/** More than any model can say or be told. */
const TOKENS_MAX = 1_000_000_000;

/**
 * Puts a response together from its events, in time linear in their number. What it does not know it leaves out
 * (events, deltas) or carries along (blocks). Nothing counts before the stream has said that it is whole.
 */
export class ResponseAssembler {
  readonly #sink: StreamSink;
  readonly #blocks = new Map<number, OpenBlock>();
  #lastIndex = 0;
  #id = "";
  #model = "";
  #usage: Usage = { ...NO_USAGE };
  #stopReason: string | undefined;
  #stopDetails: string | undefined;
  #begun = false;
  /** Whether `message_stop` has come. */
  stopped = false;
  /** Whether anything was shown. */
  shown = false;

  constructor(sink: StreamSink) {
    this.#sink = sink;
  }

  /** Takes one event; what it returns ends the stream. */
  take(sse: { event: string | null; data: string }): StreamProblem | undefined {
    if (this.stopped || sse.data === "" || sse.data === "[DONE]") return undefined;
    const event = parseEvent(sse.data);
    if (!event) return { kind: "broken", why: "it holds an event that is not JSON" };
    switch (event.type ?? sse.event) {
      case "message_start":
        this.#begun = true;
        this.#id = event.message?.id ?? this.#id;
        this.#model = event.message?.model ?? this.#model;
        this.#count(event.message?.usage);
        return undefined;
      case "content_block_start":
        return this.#start(event);
      case "content_block_delta":
        return this.#delta(event);
      case "content_block_stop":
        this.#blocks.get(event.index ?? this.#lastIndex)?.close();
        return undefined;
      case "message_delta":
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        this.#stopDetails = detailsText(event.delta?.stop_details) ?? this.#stopDetails;
        this.#count(event.usage);
        return undefined;
      case "message_stop":
        this.stopped = true;
        return undefined;
      case "error":
        return { kind: "api", problem: problemOf(event) };
      default:
        return undefined;
    }
  }

  /** The response, once the stream has ended. */
  finish(): { response: Omit<ModelResponse, "timeToFirstTokenMs"> } | StreamProblem {
    // Some servers leave out message_stop; none leaves out both, and a stream without either was cut.
    if (!this.stopped && this.#stopReason === undefined) {
      return this.#begun
        ? { kind: "broken", why: "it ended before the response was whole" }
        : { kind: "foreign" };
    }
    const hasToolUse = [...this.#blocks.values()].some((block) => block.type === "tool_use");
    const stopReason = this.#stopReason ?? (hasToolUse ? "tool_use" : "end_turn");
    const content: AssistantBlock[] = [];
    const toolUseIds = new Set<string>();
    let cutToolUses = 0;
    for (const open of this.#blocks.values()) {
      const result = open.finish(CUTTING.has(stopReason));
      if (result.kind === "cut") cutToolUses += open.type === "tool_use" ? 1 : 0;
      else if (result.kind === "whole") content.push(result.block);
      else if (result.kind !== "empty") return result;
      if (result.kind !== "whole" || open.type !== "tool_use") continue;
      const id = String(result.block["id" as keyof AssistantBlock]);
      if (toolUseIds.has(id)) return { kind: "malformed", why: `two tool uses have the id ${id}` };
      toolUseIds.add(id);
    }
    return {
      response: {
        id: this.#id,
        model: this.#model,
        content,
        stopReason,
        ...(this.#stopDetails === undefined ? {} : { stopDetails: this.#stopDetails }),
        cutToolUses,
        usage: this.#usage,
      },
    };
  }

  #start(event: StreamEvent): StreamProblem | undefined {
    const index = event.index ?? this.#blocks.size;
    const start = event.content_block;
    if (typeof start?.type !== "string") return { kind: "broken", why: "a block has no type" };
    if (this.#blocks.has(index)) return { kind: "broken", why: `block ${index} begins twice` };
    this.#lastIndex = index;
    const block = new OpenBlock(start);
    this.#blocks.set(index, block);
    if (start.type === "text") this.#show("onText", start["text"]);
    if (start.type === "thinking") this.#show("onThinking", start["thinking"]);
    return undefined;
  }

  #delta(event: StreamEvent): StreamProblem | undefined {
    const block = this.#blocks.get(event.index ?? this.#lastIndex);
    if (!block) return { kind: "broken", why: "a delta belongs to no block" };
    const delta = event.delta ?? {};
    block.add(delta);
    if (delta.type === "text_delta") this.#show("onText", delta["text"]);
    if (delta.type === "thinking_delta") this.#show("onThinking", delta["thinking"]);
    return undefined;
  }

  #show(how: "onText" | "onThinking", text: unknown): void {
    if (typeof text !== "string" || text === "") return;
    this.shown = true;
    this.#sink[how](text);
  }

  /** Later counts replace earlier ones; what a server leaves out stays as it was. */
  #count(usage: unknown): void {
    if (typeof usage !== "object" || usage === null) return;
    for (const key of Object.keys(NO_USAGE) as (keyof Usage)[]) {
      const value = (usage as Record<string, unknown>)[key];
      if (typeof value === "number" && Number.isFinite(value)) this.#usage[key] = tokensOf(value);
    }
  }
}

/** Budgets and sums are made of these: never below zero, always whole, and small enough that no sum is inexact. */
function tokensOf(value: number): number {
  return Math.min(Math.max(Math.ceil(value), 0), TOKENS_MAX);
}

function parseEvent(data: string): StreamEvent | undefined {
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" && event !== null ? (event as StreamEvent) : undefined;
  } catch {
    return undefined;
  }
}

function problemOf({ error }: StreamEvent): ApiProblem {
  return { status: undefined, type: error?.type, message: error?.message, headers: undefined };
}

function detailsText(details: unknown): string | undefined {
  if (details == null) return undefined;
  if (typeof details === "string") return details;
  const { explanation } = details as { explanation?: unknown };
  return typeof explanation === "string" ? explanation : JSON.stringify(details);
}

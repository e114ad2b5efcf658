import { planClearing, turnStart } from "../context/clear-plan.ts";
import { contextWindowOf } from "../context/context-window.ts";
import { TokenMeter } from "../context/token-meter.ts";
import { ContextClearedEvent, ContextSummarisedEvent } from "../events/run-event.ts";
import type { Message, Usage } from "../messages.ts";
import type { LoopDeps } from "./agent-loop.ts";
import { responseText } from "./stop-reason.ts";
import { streamSink } from "./stream-sink.ts";
import { summaryRequest, summaryText } from "./summary.ts";

/** Shares of the window. From `full` on a request is made smaller. */
const FULL = 0.85;
/**
 * Down to here at once: each edit makes the API read the conversation anew from where it begins, so there are few and
 * large ones. Between two of them the prefix that the API has cached stays untouched.
 */
const TARGET = 0.4;
/** Below this there is room for a while, even if the target was missed. */
const GOOD_ENOUGH = 0.6;
/** Older turns that hold less than this are not worth a summary. */
const WORTH_A_SUMMARY = 0.1;
const SUMMARY_MAX_TOKENS = 4_096;
/** How many of the last turns are left alone, and how many when that does not suffice. */
const KEEP_TURNS = [4, 1] as const;
/** A refused request was larger than the window; by how much nobody says. */
const REFUSED = 0.95;

export interface FitterDeps
  extends Pick<
    LoopDeps,
    "context" | "bus" | "provider" | "system" | "tools" | "maxTokens" | "isReadOnly" | "budget" | "signal"
  > {
  /** Tokens that input and output of a request may have together; left out, the provider or its model's name says it. */
  contextWindow: number | undefined;
}

/** Keeps the conversation within the model's window: clears old tool results, then has older turns summarised. */
export class ContextFitter {
  readonly #deps: FitterDeps;
  readonly #meter: TokenMeter;
  #window: number;

  constructor(deps: FitterDeps) {
    this.#deps = deps;
    this.#meter = new TokenMeter([deps.system, JSON.stringify(deps.tools)]);
    this.#window = deps.contextWindow ?? contextWindowOf(deps.provider);
  }

  /** Before a request. @throws what the provider, the budget and the bus throw */
  async fit(step: number): Promise<void> {
    if (this.#tokens() > this.#full()) await this.#shrink(step);
  }

  /** To be given back to `learn` when the request is answered. */
  get bytes(): number {
    return this.#meter.bytes(this.#deps.context.messages);
  }

  learn(bytes: number, usage: Usage): void {
    this.#meter.learn(bytes, usage);
  }

  /** A request that an earlier part of the run made, and what it cost: so that the first one after it is not judged blindly. */
  recall({ messages, usage }: { messages: readonly Message[]; usage: Usage }): void {
    this.#meter.learn(this.#meter.bytes(messages), usage);
  }

  /**
   * After the API said that a request, or a request and its answer, did not fit.
   * @param tokens what they had together, when that is known
   * @returns whether the next request is smaller
   */
  async refit(step: number, tokens?: number): Promise<boolean> {
    const before = this.#tokens();
    this.#window = Math.min(this.#window, tokens ?? Math.floor(before * REFUSED));
    await this.#shrink(step);
    return this.#tokens() < before;
  }

  /** Leaves room for an answer of full length, in windows that are large enough to have it. */
  #full(): number {
    return Math.max(this.#window / 2, Math.min(this.#window * FULL, this.#window - this.#deps.maxTokens));
  }

  #tokens(): number {
    return this.#meter.tokens(this.#deps.context.messages);
  }

  async #shrink(step: number): Promise<void> {
    const target = this.#window * TARGET;
    for (const keepTurns of KEEP_TURNS) {
      this.#clear(step, { keepTurns, target });
      if (this.#tokens() > target) await this.#summarise(step, keepTurns);
      if (this.#tokens() <= this.#window * GOOD_ENOUGH) return;
    }
    // Even what was read last does not fit: the model has to ask for less.
    if (this.#tokens() > this.#full()) this.#clear(step, { keepTurns: 0, target: this.#full() });
  }

  #clear(step: number, { keepTurns, target }: { keepTurns: number; target: number }): void {
    const { context, bus } = this.#deps;
    const isReadOnly = (tool: string): boolean => this.#deps.isReadOnly(tool);
    const before = this.#tokens();
    if (before <= target) return;
    const bytes = (before - target) * this.#meter.bytesPerToken;
    const { cleared, bytes: freed } = planClearing(context.messages, { bytes, keepTurns, isReadOnly });
    if (cleared.length === 0) return;
    const after = before - this.#meter.tokensOfBytes(freed);
    bus.publish(new ContextClearedEvent({ step, cleared, tokens_before: before, tokens_after: after }));
    context.clearToolResults(cleared);
  }

  async #summarise(step: number, keepTurns: number): Promise<void> {
    const { context, bus, budget, provider, signal } = this.#deps;
    const end = turnStart(context.messages, keepTurns);
    if (end === undefined) return;
    const old = context.messages.slice(0, end);
    const size = this.#meter.bytes(old.slice(1));
    if (size < this.#window * WORTH_A_SUMMARY * this.#meter.bytesPerToken) return;
    const before = this.#tokens();
    const messages = summaryRequest(old);
    const maxTokens = budget.beforeRequest(messages, Math.min(SUMMARY_MAX_TOKENS, this.#deps.maxTokens));
    const startedAt = performance.now();
    const { system, tools } = this.#deps;
    // Not shown as it streams: it is no part of the answer. Retries are told of.
    const sink = { ...streamSink(bus, step), onText() {}, onThinking() {} };
    const response = await provider.stream({ system, tools, messages, maxTokens }, sink, signal);
    budget.afterResponse(response.usage);
    const text = summaryText(responseText(response), old);
    const { model, usage } = response;
    const freed = this.#meter.tokensOfBytes(size - Buffer.byteLength(text));
    bus.publish(
      new ContextSummarisedEvent({
        step,
        messages: end - 1,
        text,
        model,
        usage,
        duration_ms: Math.round(performance.now() - startedAt),
        tokens_before: before,
        tokens_after: before - freed,
      }),
    );
    context.summarise({ messages: end - 1, text, usage });
  }
}

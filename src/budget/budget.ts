import { RuiZNError } from "../errors.ts";
import type { EventBus } from "../events/event-bus.ts";
import { BudgetExceededEvent, BudgetWarningEvent } from "../events/run-event.ts";
import type { Message, ToolUseBlock, Usage } from "../messages.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import { costOf, type ModelPrice, type PriceTable, priceOf } from "./prices.ts";

/** What a run may spend. What is left out is not limited. */
export interface BudgetLimits {
  /** Input (cache included) and output tokens of all responses. */
  totalTokens?: number;
  usd?: number;
  toolCalls?: number;
  /** How often the same tool may be called with the same input. */
  repeatedCalls?: number;
  /** Bytes that tools read and show, all results together. */
  bytesRead?: number;
  /** Bytes of all messages in all requests together. */
  bytesSent?: number;
}

/** All that a run may use up: what it spends, its steps and its time. */
export type BudgetName = keyof BudgetLimits | "steps" | "wallClockMs";

/** Time is kept by a clock, the others are counted. */
type Counted = Exclude<BudgetName, "wallClockMs">;

/** From this share of a limit on, one warning event. */
export const WARN_AT = 0.8;
/** A request that could answer with fewer tokens than this is not worth its input. */
const MIN_OUTPUT_TOKENS = 256;
/** Low on purpose: a request is taken for larger than it is rather than smaller. */
const BYTES_PER_TOKEN = 3;

/** One thing that an earlier part of the run has spent. */
export type Spending =
  | { kind: "step" }
  | { kind: "request"; messages: readonly Message[] }
  | { kind: "response"; usage: Usage }
  | { kind: "call"; name: string; input: unknown }
  | { kind: "result"; bytesShown: number };

/** Keeps a run within its limits: asked before each step, each request and each turn of tool calls, told after. */
export class Budget {
  readonly #limits: BudgetLimits & { steps?: number };
  readonly #bus: EventBus;
  readonly #price: ModelPrice | undefined;
  readonly #used: Record<Counted, number>;
  readonly #calls = new Map<string, number>();
  readonly #warned = new Set<Counted>();
  readonly #messageBytes = new WeakMap<Message, number>();
  #lastInputTokens = 0;
  #lastRequestBytes = 0;
  #recalling = false;

  /** @throws RuiZNError settings_invalid for a limit that is not positive, or in USD without a price for the model. */
  constructor(options: {
    limits: BudgetLimits;
    steps?: number;
    model: string;
    bus: EventBus;
    prices?: PriceTable;
  }) {
    const { limits, steps, model, bus, prices } = options;
    for (const [name, limit] of Object.entries(limits)) {
      if (!(limit > 0))
        throw new RuiZNError("settings_invalid", `budget ${name} is ${limit}: it must be positive`);
    }
    this.#limits = { ...limits, ...(steps !== undefined && { steps }) };
    this.#bus = bus;
    this.#price = priceOf(model, prices);
    if (limits.usd !== undefined && !this.#price) {
      throw new RuiZNError(
        "settings_invalid",
        `no price is known for model ${model}, so a USD budget can't be kept`,
        {
          hint: "say its price with --prices-file (docs/settings.md), or limit tokens with --max-total-tokens",
        },
      );
    }
    const none = { totalTokens: 0, usd: 0, toolCalls: 0, repeatedCalls: 0, bytesRead: 0, bytesSent: 0 };
    this.#used = { ...none, steps: 0 };
  }

  /** US dollars so far; null when the model's price is not known. */
  get costUsd(): number | null {
    return this.#price ? this.#used.usd : null;
  }

  /** Before a step. @returns false when there is none left */
  beforeStep(): boolean {
    if (this.#left("steps") < 1) {
      this.#tellExceeded("steps");
      return false;
    }
    this.#spend("steps", 1);
    return true;
  }

  /**
   * Before a request: what it will cost at least must fit what is left.
   * @returns the output tokens that the budget still allows, at most `maxTokens`.
   * @throws RuiZNError budget_exhausted
   */
  beforeRequest(messages: readonly Message[], maxTokens: number): number {
    const bytes = this.#bytesOfAll(messages);
    this.#require("bytesSent", bytes);
    const inputTokens = this.#lastInputTokens + Math.ceil((bytes - this.#lastRequestBytes) / BYTES_PER_TOKEN);
    const allowed = Math.min(
      maxTokens,
      this.#left("totalTokens") - inputTokens,
      this.#outputTokensForUsd(inputTokens),
    );
    const least = Math.min(MIN_OUTPUT_TOKENS, maxTokens);
    if (allowed < least)
      this.#exceed(this.#left("totalTokens") - inputTokens < least ? "totalTokens" : "usd");
    this.#spend("bytesSent", bytes);
    this.#lastRequestBytes = bytes;
    return Math.floor(allowed);
  }

  afterResponse(usage: Usage): void {
    const input = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    this.#lastInputTokens = input;
    this.#spend("totalTokens", input + usage.output_tokens);
    if (this.#price) this.#spend("usd", costOf(usage, this.#price));
  }

  /** Before a turn of tool calls. @throws RuiZNError budget_exhausted */
  beforeCalls(uses: readonly ToolUseBlock[]): void {
    this.#require("toolCalls", uses.length);
    if (this.#left("bytesRead") <= 0) this.#exceed("bytesRead");
    const repeated = uses.map((use) => this.#countCall(use));
    this.#spend("toolCalls", uses.length);
    const most = Math.max(0, ...repeated);
    if (most > (this.#limits.repeatedCalls ?? Number.POSITIVE_INFINITY)) this.#exceed("repeatedCalls");
    this.#spend("repeatedCalls", Math.max(0, most - this.#used.repeatedCalls));
  }

  afterCall(result: ToolResult): void {
    this.#spend("bytesRead", result.bytesShown);
  }

  /** Takes over what the run had spent before it broke off, without warnings: they were given then. */
  recall(spendings: Iterable<Spending>): void {
    this.#recalling = true;
    for (const spending of spendings) this.#recallOne(spending);
    this.#recalling = false;
  }

  #recallOne(spending: Spending): void {
    switch (spending.kind) {
      case "step":
        return this.#spend("steps", 1);
      case "request":
        this.#lastRequestBytes = this.#bytesOfAll(spending.messages);
        return this.#spend("bytesSent", this.#lastRequestBytes);
      case "response":
        return this.afterResponse(spending.usage);
      case "call":
        this.#spend("toolCalls", 1);
        return this.#spend(
          "repeatedCalls",
          Math.max(0, this.#countCall(spending) - this.#used.repeatedCalls),
        );
      case "result":
        return this.#spend("bytesRead", spending.bytesShown);
      default:
        return spending satisfies never;
    }
  }

  #countCall(use: { name: string; input: unknown }): number {
    const key = `${use.name} ${JSON.stringify(use.input)}`;
    const count = (this.#calls.get(key) ?? 0) + 1;
    this.#calls.set(key, count);
    return count;
  }

  #outputTokensForUsd(inputTokens: number): number {
    if (!this.#price || this.#limits.usd === undefined) return Number.POSITIVE_INFINITY;
    const rate =
      this.#price.above && inputTokens > this.#price.above.inputTokens
        ? this.#price.above.price
        : this.#price;
    // What was sent before is taken to come from the cache, the rest to be written to it.
    const cached = Math.min(this.#lastInputTokens, inputTokens);
    const inputCost = (cached * rate.cacheRead + (inputTokens - cached) * rate.cacheWrite) / 1_000_000;
    return ((this.#left("usd") - inputCost) * 1_000_000) / rate.output;
  }

  #left(name: Counted): number {
    return (this.#limits[name] ?? Number.POSITIVE_INFINITY) - this.#used[name];
  }

  #require(name: Counted, amount: number): void {
    if (amount > this.#left(name)) this.#exceed(name);
  }

  #spend(name: Counted, amount: number): void {
    this.#used[name] += amount;
    const limit = this.#limits[name];
    if (limit === undefined || this.#used[name] < limit * WARN_AT || this.#warned.has(name)) return;
    this.#warned.add(name);
    if (this.#recalling) return;
    this.#bus.publish(new BudgetWarningEvent({ budget: name, used: this.#used[name], limit }));
  }

  #exceed(name: Counted): never {
    this.#tellExceeded(name);
    throw new RuiZNError(
      "budget_exhausted",
      `the budget ${name} of ${this.#limits[name] ?? 0} does not cover the next step (used: ${this.#used[name]})`,
    );
  }

  #tellExceeded(name: Counted): void {
    const limit = this.#limits[name] ?? 0;
    this.#bus.publish(new BudgetExceededEvent({ budget: name, used: this.#used[name], limit }));
  }

  #bytesOfAll(messages: readonly Message[]): number {
    return messages.reduce((sum, message) => sum + this.#bytesOf(message), 0);
  }

  /** The context never changes a message, it puts another in its place: so its size can be kept. */
  #bytesOf(message: Message): number {
    const known = this.#messageBytes.get(message);
    if (known !== undefined) return known;
    const bytes = Buffer.byteLength(JSON.stringify(message));
    this.#messageBytes.set(message, bytes);
    return bytes;
  }
}

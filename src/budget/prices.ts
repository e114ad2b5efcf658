import type { Usage } from "../messages.ts";

/** US dollars per million tokens. */
export interface ModelPrice {
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
  /** Another price for requests whose input (cache included) is larger than this many tokens. */
  above?: { inputTokens: number; price: ModelPrice };
}

/** Raised whenever a row changes. */
const PRICE_TABLE_VERSION = "2026-10";

const price = (input: number, output: number, cacheReadShare = 0.1): ModelPrice => ({
  input,
  output,
  cacheWrite: input * 1.25,
  cacheRead: input * cacheReadShare,
});

/**
 * List prices by the beginning of the model's name, first match wins. Five-minute cache writes cost 1.25 times the
 * input price. Source: the vendor's published price list.
 */
const PRICES: readonly (readonly [prefix: string, price: ModelPrice])[] = [
  ["claude-fable-5-1", price(10, 50, 0.025)],
  ["claude-mythos-5-1", price(10, 50, 0.025)],
  ["claude-opus-5-5", price(4, 20, 0.05)],
  ["claude-opus-5", price(5, 25)],
  ["claude-opus-4-8", price(5, 25)],
  ["claude-opus-4-7", price(5, 25)],
  ["claude-opus-4-6", price(5, 25)],
  ["claude-opus-4-5", price(5, 25)],
  ["claude-sonnet-5-5", price(2, 10, 0.05)],
  ["claude-sonnet-5", price(2, 10)],
  ["claude-sonnet-4-6", price(3, 15)],
  ["claude-sonnet-4-5", price(3, 15)],
  ["claude-haiku-5-5", { ...price(0.1, 0.5), above: { inputTokens: 100_000, price: price(0.5, 2.5) } }],
  ["claude-haiku-4-5", price(1, 5)],
];

export type PriceTable = Readonly<Record<string, ModelPrice>>;

/** Undefined for a model that neither the overrides (by exact name) nor the table know: its cost is never guessed. */
export function priceOf(model: string, overrides: PriceTable = {}): ModelPrice | undefined {
  if (Object.hasOwn(overrides, model)) return overrides[model];
  return PRICES.find(([prefix]) => model === prefix || model.startsWith(`${prefix}-`))?.[1];
}

/** Which prices a model's cost is counted by, for `run.started`: the built-in table's version, or `own`, or null for none. */
export function priceTableOf(model: string, overrides: PriceTable = {}): string | null {
  if (Object.hasOwn(overrides, model)) return "own";
  return priceOf(model) ? PRICE_TABLE_VERSION : null;
}

/** US dollars for one response. */
export function costOf(usage: Usage, modelPrice: ModelPrice): number {
  const inputTokens = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
  const { above } = modelPrice;
  const rate = above && inputTokens > above.inputTokens ? above.price : modelPrice;
  const total =
    usage.input_tokens * rate.input +
    usage.output_tokens * rate.output +
    usage.cache_creation_input_tokens * rate.cacheWrite +
    usage.cache_read_input_tokens * rate.cacheRead;
  return total / 1_000_000;
}

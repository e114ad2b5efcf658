import { expect, it } from "vitest";
import { costOf, priceOf, priceTableOf } from "../../src/budget/prices.ts";

const usage = (input: number, output: number, read = 0, write = 0) => ({
  input_tokens: input,
  output_tokens: output,
  cache_read_input_tokens: read,
  cache_creation_input_tokens: write,
});

it("prices each kind of token of a response by the model's row", () => {
  const price = priceOf("claude-opus-5-5");
  expect(price && costOf(usage(1_000_000, 100_000, 2_000_000, 400_000), price)).toBeCloseTo(
    4 + 2 + 0.4 + 2,
    10,
  );
});

it("takes the higher row for a request above the threshold, cached input included", () => {
  const price = priceOf("claude-haiku-5-5");
  expect(price && costOf(usage(100_000, 1_000), price)).toBeCloseTo(0.0105, 10);
  expect(price && costOf(usage(1, 1_000, 100_000), price)).toBeCloseTo(0.0000005 + 0.005 + 0.0025, 7);
});

it("knows dated names of a model and tells its successors apart", () => {
  expect(priceOf("claude-sonnet-4-5-20250929")).toEqual(priceOf("claude-sonnet-4-5"));
  expect(priceOf("claude-opus-5")).not.toEqual(priceOf("claude-opus-5-5"));
});

it("never guesses the price of an unknown model, and takes an override by its exact name", () => {
  const own = { input: 1, output: 2, cacheWrite: 1, cacheRead: 0 };
  expect(priceOf("llama-4")).toBeUndefined();
  expect(priceOf("llama-4", { "llama-4": own })).toEqual(own);
  expect(priceOf("toString", {})).toBeUndefined();
});

it("names the table that a cost is counted by", () => {
  const own = { input: 1, output: 2, cacheWrite: 1, cacheRead: 0 };
  expect(priceTableOf("claude-opus-5")).toMatch(/^\d{4}-\d{2}$/);
  expect(priceTableOf("claude-opus-5", { "claude-opus-5": own })).toBe("own");
  expect(priceTableOf("llama-4")).toBeNull();
});

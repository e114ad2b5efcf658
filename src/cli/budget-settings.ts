import type { BudgetLimits } from "../budget/budget.ts";
import type { ModelPrice, PriceTable } from "../budget/prices.ts";
import { RuiZNError } from "../errors.ts";
import { readTextFile } from "./read-text-file.ts";
import type { Settings } from "./settings-table.ts";

const PRICES_MAX_BYTES = 65_536;

/** What the settings let a run spend, and the prices that dollars are counted by. @throws RuiZNError settings_invalid */
export function budgetOf(settings: Settings): { budget: BudgetLimits; prices?: PriceTable } {
  const limits: Record<keyof BudgetLimits, number | undefined> = {
    totalTokens: settings.max_total_tokens,
    usd: settings.max_budget_usd,
    toolCalls: settings.max_tool_calls,
    repeatedCalls: settings.max_repeated_calls,
    bytesRead: settings.max_bytes_read,
    bytesSent: settings.max_bytes_sent,
  };
  const budget = Object.fromEntries(
    Object.entries(limits).filter(([, limit]) => limit !== undefined),
  ) as BudgetLimits;
  return { budget, ...(settings.prices_file !== undefined && { prices: readPrices(settings.prices_file) }) };
}

/** `{"model": {"input": 1, "output": 5, "cache_write": 1.25, "cache_read": 0.1}}`, US dollars per million tokens. */
function readPrices(path: string): PriceTable {
  const file = readTextFile(path, PRICES_MAX_BYTES);
  if (!file.found) throw invalid(path, file.why);
  const prices: unknown = parsed(file.text, path);
  if (!isObject(prices)) throw invalid(path, "is not one JSON object");
  return Object.fromEntries(Object.entries(prices).map(([model, row]) => [model, priceOf(row, model, path)]));
}

function priceOf(row: unknown, model: string, path: string): ModelPrice {
  const fields = ["input", "output", "cache_write", "cache_read"];
  const wrong = isObject(row)
    ? Object.keys(row).find((name) => !fields.includes(name) || !isPrice(row[name]))
    : "price";
  if (!isObject(row) || wrong !== undefined) {
    throw invalid(path, `has a wrong ${wrong} for ${JSON.stringify(model)}; fields are ${fields.join(", ")}`);
  }
  const { input, output, cache_write, cache_read } = row as Record<string, number | undefined>;
  if (input === undefined || output === undefined) {
    throw invalid(path, `needs input and output for ${JSON.stringify(model)}`);
  }
  return { input, output, cacheWrite: cache_write ?? input * 1.25, cacheRead: cache_read ?? input * 0.1 };
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid(path, "is not JSON");
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPrice(value: unknown): boolean {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

function invalid(path: string, why: string): RuiZNError {
  return new RuiZNError("settings_invalid", `the file of prices ${path} ${why}`);
}

import { resolve } from "node:path";
import type { SettingKind } from "./settings-table.ts";

export type SettingValue = string | number | boolean | string[];

/** `undefined` stands for a value that does not fit; `expected` says what would. */
export function valueFromText(kind: SettingKind, text: string): SettingValue | undefined {
  switch (kind.type) {
    case "text":
    case "path":
      return text;
    case "count":
      return /^\d{1,15}$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
    case "amount":
      return /^\d{1,9}(\.\d{1,6})?$/.test(text) && Number(text) > 0 ? Number(text) : undefined;
    case "duration":
      return milliseconds(text);
    case "flag":
      return FLAG_WORDS.get(text.toLowerCase());
    case "list":
      return listOf(kind, splitList(text));
    case "choice":
      if (kind.of.includes(text)) return text;
      return kind.orCount ? valueFromText({ type: "count" }, text) : undefined;
    default:
      return kind satisfies never;
  }
}

export function valueFromJson(kind: SettingKind, value: unknown): SettingValue | undefined {
  if (kind.type === "flag") return typeof value === "boolean" ? value : undefined;
  if (kind.type === "count")
    return Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined;
  if (kind.type === "amount") return typeof value === "number" && value > 0 ? value : undefined;
  if (kind.type === "list" && Array.isArray(value)) {
    return value.every((item) => typeof item === "string" && item.trim() !== "")
      ? listOf(kind, value as string[])
      : undefined;
  }
  if (kind.type === "choice" && kind.orCount && typeof value === "number") {
    return valueFromJson({ type: "count" }, value);
  }
  return typeof value === "string" ? valueFromText(kind, value) : undefined;
}

/** Paths are relative to the folder where they are written. */
export function resolvedPaths(kind: SettingKind, value: SettingValue, folder: string): SettingValue {
  if (kind.type === "path") return resolve(folder, String(value));
  return kind.type === "list" && kind.paths && Array.isArray(value)
    ? value.map((path) => resolve(folder, path))
    : value;
}

/** What a value of this kind looks like, for a message. */
export function expected(kind: SettingKind): string {
  switch (kind.type) {
    case "text":
    case "path":
      return "a text";
    case "count":
      return "a whole number above 0";
    case "amount":
      return "an amount above 0, such as 0.5";
    case "duration":
      return "a time with its unit, such as 500ms, 10s, 15m or 1h30m, at most 24h";
    case "flag":
      return "true or false";
    case "list":
      return kind.of ? `a list of ${kind.of.join(", ")}` : "a list, such as read_file,grep";
    case "choice":
      return [...kind.of, ...(kind.orCount ? ["a number of tokens"] : [])].join(" or ");
    default:
      return kind satisfies never;
  }
}

const FLAG_WORDS = new Map([
  ["1", true],
  ["true", true],
  ["yes", true],
  ["on", true],
  ["0", false],
  ["false", false],
  ["no", false],
  ["off", false],
]);

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };
const DURATION_MAX_MS = 86_400_000;

function milliseconds(text: string): number | undefined {
  if (!/^(\d{1,9}(\.\d{1,3})?(ms|s|m|h))+$/.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
    total += Number(amount) * (UNIT_MS[unit ?? ""] ?? 0);
  }
  return total >= 1 && total <= DURATION_MAX_MS ? Math.round(total) : undefined;
}

/** Splits at commas that stand outside parentheses: `grep,shell(git diff:*)` is two. */
export function splitList(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (char === "," && depth === 0) {
      items.push(item);
      item = "";
    } else item += char;
  }
  return [...items, item].map((entry) => entry.trim()).filter((entry) => entry !== "");
}

function listOf(kind: { of?: readonly string[] }, items: string[]): string[] | undefined {
  return items.every((item) => !kind.of || kind.of.includes(item)) ? items : undefined;
}

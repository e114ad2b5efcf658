import type { FileView } from "./describe-file.ts";
import { counted } from "./language.ts";
import { shorten } from "./shorten.ts";

const KEYS_MAX = 30;
const VALUE_MAX_CHARS = 160;
/** Keys that say what a JSON file is, in the order in which they are told. */
const TELLING = ["name", "title", "version", "description", "type", "license", "main", "private"];

/** Says what a JSON text holds; undefined when it is not JSON. */
export function describeJson({ text, phrases, language }: FileView): string[] | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch {
    return undefined;
  }
  if (Array.isArray(value)) return [phrases.items(counted(value.length, "item", language))];
  if (typeof value !== "object" || value === null) return [shown(value)];
  const record = new Map(Object.entries(value));
  const colon = language === "zh" ? "：" : ": ";
  const lines = TELLING.filter((key) => isPlain(record.get(key))).map(
    (key) => `${key}: ${shown(record.get(key))}`,
  );
  const keys = [...record].map(([key, item]) => `${key}${sizeOf(item)}`);
  const rest = keys.length - KEYS_MAX;
  const more = rest > 0 ? ` ${phrases.more(String(rest))}` : "";
  return [...lines, `${phrases.keys}${colon}${keys.slice(0, KEYS_MAX).join(", ")}${more}`];
}

function isPlain(value: unknown): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function sizeOf(value: unknown): string {
  if (Array.isArray(value)) return ` [${value.length}]`;
  return typeof value === "object" && value !== null ? ` {${Object.keys(value).length}}` : "";
}

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return shorten(text.replace(/\s+/g, " "), VALUE_MAX_CHARS);
}

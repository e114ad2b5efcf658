import { Rejection } from "./rejection.ts";

const MAX_DEPTH = 24;
const LONE_SURROGATE = /\p{Surrogate}/u;

/**
 * Goes through parsed JSON: bounded depth, no key that means a prototype to careless code, no number that JSON can't
 * write again, no string that UTF-8 can't carry.
 */
export function checkPlain(value: unknown, depth = 0): void {
  if (depth > MAX_DEPTH) throw new Rejection("plain_json", `nested more than ${MAX_DEPTH} levels`);
  if (typeof value === "string") checkText(value);
  if (typeof value === "number" && !Number.isFinite(value)) {
    throw new Rejection("plain_json", "a number is out of range");
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) checkPlain(item, depth + 1);
    return;
  }
  for (const [key, item] of Object.entries(value)) {
    if (key === "__proto__")
      throw new Rejection("plain_json", `the key ${JSON.stringify(key)} is not allowed`);
    checkText(key);
    checkPlain(item, depth + 1);
  }
}

function checkText(text: string): void {
  if (LONE_SURROGATE.test(text)) throw new Rejection("unicode", "a text is not well-formed Unicode");
}

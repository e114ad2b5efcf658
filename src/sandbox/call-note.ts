import { LIMITS } from "../limits.ts";
import type { CallNote } from "./protocol.ts";

const FIELDS = new Set(["nonce", "level", "text", "share"]);
const LEVELS: readonly unknown[] = ["progress", "info", "warn", "error"] satisfies CallNote["level"][];

/** A message of a worker as a note of the call with this nonce; undefined when it is anything else. */
export function callNote(message: unknown, nonce: string | undefined): CallNote | undefined {
  if (typeof message !== "object" || message === null || nonce === undefined) return undefined;
  if (!Object.keys(message).every((key) => FIELDS.has(key))) return undefined;
  const { nonce: given, level, text, share } = message as Record<string, unknown>;
  if (given !== nonce || !LEVELS.includes(level)) return undefined;
  if (typeof text !== "string" || text.length > LIMITS.noteMaxChars || !text.isWellFormed()) return undefined;
  if (share !== undefined && !(typeof share === "number" && share >= 0 && share <= 1)) return undefined;
  return {
    nonce,
    level: level as CallNote["level"],
    text,
    ...(share === undefined ? {} : { share: Number(share) }),
  };
}

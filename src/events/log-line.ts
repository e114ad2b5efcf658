import { hash } from "node:crypto";
import type { BlobStore } from "./blob-store.ts";
import type { StampedEvent } from "./run-event.ts";

/** A line of events.jsonl with its line feed is never longer. What does not fit goes to a blob. */
export const LOG_LINE_MAX_BYTES = 65_536;

/** What the first line has for the line before it. */
export const CHAIN_START = "0".repeat(64);

const BLOB_KEY = "$blob";

/** Stands in a line in place of a field's value; the blob holds that value as JSON. */
export interface BlobReference {
  $blob: string;
  bytes: number;
}

/** SHA-256 of a line's bytes without its line feed, in hex: what the next line carries as `prev`. */
export function lineHash(line: Uint8Array): string {
  return hash("sha256", line, "hex");
}

/** The bytes that `run.finished` is sealed by end before this; what follows it is the seal itself. */
export const SEAL_KEY = ',"log_seal":"';

/**
 * An event as the bytes of its line, line feed included. Fields that would make the line too long are stored as
 * blobs first, the longest first; so is a field that would itself look like a reference.
 * @throws TypeError or RangeError when the event has no JSON form (a cycle, a bigint, nesting without end)
 */
export function encodeLine({ stamp, event }: StampedEvent, prev: string, blobs: BlobStore): Buffer {
  const fields: Record<string, unknown> = {};
  Object.assign(fields, stamp, { prev, type: event.type }, event);
  for (const [name, value] of Object.entries(fields)) {
    if (looksLikeReference(value)) fields[name] = blobs.put(JSON.stringify(value));
  }
  let line = toBytes(fields);
  if (line.length > LOG_LINE_MAX_BYTES) line = toBytes(withBlobs(fields, line.length, blobs));
  return line;
}

export function looksLikeReference(value: unknown): value is BlobReference {
  return typeof value === "object" && value !== null && Object.hasOwn(value, BLOB_KEY);
}

function toBytes(fields: Record<string, unknown>): Buffer {
  const text = JSON.stringify(fields);
  if (fields["type"] !== "run.finished") return Buffer.from(`${text}\n`);
  const sealed = Buffer.from(text.slice(0, -1));
  return Buffer.concat([sealed, Buffer.from(`${SEAL_KEY}${lineHash(sealed)}"}\n`)]);
}

function withBlobs(
  fields: Record<string, unknown>,
  length: number,
  blobs: BlobStore,
): Record<string, unknown> {
  // An allowance for the seal and for each reference, so that one pass is enough.
  let rest = length + 256;
  const result = { ...fields };
  const bySize = Object.entries(fields)
    .map(([name, value]) => ({ name, json: JSON.stringify(value) ?? "" }))
    .map(({ name, json }) => ({ name, json, bytes: Buffer.byteLength(json) }))
    .toSorted((a, b) => b.bytes - a.bytes);
  for (const { name, json, bytes } of bySize) {
    if (rest <= LOG_LINE_MAX_BYTES) break;
    result[name] = blobs.put(json);
    rest -= bytes - 128;
  }
  return result;
}

import { closeSync, fstatSync } from "node:fs";
import { join } from "node:path";
import { RuiZNError } from "../errors.ts";
import { BlobStore } from "./blob-store.ts";
import { EVENTS_FILE } from "./event-writer.ts";
import { LOG_LINE_MAX_BYTES, looksLikeReference } from "./log-line.ts";
import { parseLine, readRawLines, type RawLine } from "./log-lines.ts";
import { isRunEventType, wrongField } from "./event-shapes.ts";
import { EVENT_SCHEMA_VERSION, type RunEvent, type StampedEvent } from "./run-event.ts";
import { errorCode, Folder } from "./run-folder.ts";

/** One line of a log as a reader takes it. */
export type LogEntry =
  | { kind: "event"; line: number; stamped: StampedEvent }
  /** Of a later version: to be passed over. */
  | { kind: "unknown"; line: number; type: string }
  /** Nothing this runtime wrote. */
  | { kind: "garbage"; line: number; reason: string }
  /** The last line, when the run was killed while writing it. */
  | { kind: "torn"; line: number; bytes: number };

/**
 * Reads a run's events in order, a line at a time; fields that were stored as blobs are put back. Whatever the file
 * holds, only a file that can't be read throws. It does not check the chain: that is `verifyLog`'s work.
 * @throws RuiZNError input_invalid when the log can't be opened or read
 */
export function* readEvents(runPath: string): Generator<LogEntry, void, void> {
  const { folder, fd } = openLog(runPath);
  const blobs = new BlobStore(folder, { sync: false });
  try {
    for (const raw of readRawLines(fd)) yield toEntry(raw, blobs);
  } catch (error) {
    throw unreadable(runPath, error);
  } finally {
    closeSync(fd);
    blobs.close();
    folder.close();
  }
}

/** The events alone, for readers that have no use for what is not one. */
export function* eventsOf(entries: Iterable<LogEntry>): Generator<StampedEvent, void, void> {
  for (const entry of entries) if (entry.kind === "event") yield entry.stamped;
}

/**
 * The last event of a log without reading all of it; undefined when its last whole line is not one.
 * @throws RuiZNError input_invalid when the log can't be opened or read
 */
export function readLastEvent(runPath: string): StampedEvent | undefined {
  const { folder, fd } = openLog(runPath);
  const blobs = new BlobStore(folder, { sync: false });
  try {
    // Room for a whole line and a torn one.
    const from = Math.max(0, fstatSync(fd).size - 2 * LOG_LINE_MAX_BYTES);
    let last: RawLine | undefined;
    for (const raw of readRawLines(fd, from)) if (raw.ended) last = raw;
    const entry = last && toEntry(last, blobs);
    return entry?.kind === "event" ? entry.stamped : undefined;
  } catch (error) {
    throw unreadable(runPath, error);
  } finally {
    closeSync(fd);
    blobs.close();
    folder.close();
  }
}

/** Both are the caller's to close. @throws RuiZNError input_invalid */
export function openLog(runPath: string): { folder: Folder; fd: number } {
  let folder: Folder | undefined;
  try {
    folder = Folder.at(runPath);
    return { folder, fd: folder.open(EVENTS_FILE, "read") };
  } catch (error) {
    folder?.close();
    throw unreadable(runPath, error instanceof RuiZNError ? error.cause : error);
  }
}

function toEntry(raw: RawLine, blobs: BlobStore): LogEntry {
  const line = raw.number;
  if (!raw.ended) return { kind: "torn", line, bytes: raw.length };
  const fields = parseLine(raw.bytes);
  if (typeof fields === "string") return { kind: "garbage", line, reason: fields };
  const { v, seq, ts, run_id, prev: _prev, log_seal: _seal, type, ...own } = fields;
  if (typeof v !== "number" || typeof type !== "string") {
    return { kind: "garbage", line, reason: "without version or type" };
  }
  if (v !== EVENT_SCHEMA_VERSION || !isRunEventType(type)) return { kind: "unknown", line, type };
  if (!Number.isSafeInteger(seq) || typeof ts !== "string" || typeof run_id !== "string") {
    return { kind: "garbage", line, reason: "without seq, ts or run_id" };
  }
  const trouble = putBack(own, blobs);
  if (trouble) return { kind: "garbage", line, reason: trouble };
  const wrong = wrongField(type, own);
  if (wrong !== undefined) return { kind: "garbage", line, reason: `${type} without a valid ${wrong}` };
  const stamp = { v: EVENT_SCHEMA_VERSION, seq: seq as number, ts, run_id } as const;
  return {
    kind: "event",
    line,
    stamped: { stamp, event: Object.assign(own, { type }) as unknown as RunEvent },
  };
}

function putBack(own: Record<string, unknown>, blobs: BlobStore): string | undefined {
  for (const [name, value] of Object.entries(own)) {
    if (!looksLikeReference(value)) continue;
    const found = blobs.get(value);
    if (!found.ok) return `the blob of ${name} is ${found.trouble}`;
    own[name] = found.value;
  }
  return undefined;
}

function unreadable(runPath: string, error: unknown): RuiZNError {
  const path = join(runPath, EVENTS_FILE);
  return new RuiZNError("input_invalid", `${path} can't be read (${errorCode(error)})`, { cause: error });
}

import { closeSync } from "node:fs";
import { BlobStore } from "../events/blob-store.ts";
import { openLog } from "../events/event-reader.ts";
import { CHAIN_START, lineHash, looksLikeReference, SEAL_KEY } from "../events/log-line.ts";
import { parseLine, type RawLine, readRawLines } from "../events/log-lines.ts";
import { type LogProblem, type LogProblemKind, type LogReport, PROBLEMS_MAX } from "./log-report.ts";
import { SequenceCheck } from "./sequence-check.ts";

/**
 * Checks every line against the chain, the blobs against their names and the end against its seal. It finds what a
 * crash, an editor or a tool did; not what somebody did who wrote the whole chain anew (compare `end.head` for that).
 * @throws RuiZNError input_invalid when the log can't be opened or read
 */
export function verifyLog(runPath: string): LogReport {
  const { folder, fd } = openLog(runPath);
  const blobs = new BlobStore(folder, { sync: false });
  try {
    const check = new LogCheck(blobs);
    for (const line of readRawLines(fd)) check.take(line);
    return check.report(runPath);
  } finally {
    closeSync(fd);
    blobs.close();
    folder.close();
  }
}

type Fields = Record<string, unknown>;

class LogCheck {
  readonly #blobs: BlobStore;
  readonly #sequence = new SequenceCheck();
  readonly #problems: LogProblem[] = [];
  #problemCount = 0;
  /** Hash of the line before; undefined when there is nothing to compare with. */
  #before: string | undefined = CHAIN_START;
  #head = CHAIN_START;
  #runId: string | undefined;
  #lines = 0;
  #bytes = 0;
  #tornBytes = 0;
  /** The last line was a `run.finished`. */
  #finished = false;

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  take(raw: RawLine): void {
    if (!raw.ended) {
      this.#tornBytes = raw.length;
      this.#add("torn", raw.number, `the last line breaks off after ${raw.length} bytes`);
      return;
    }
    this.#lines = raw.number;
    this.#bytes = raw.offset + raw.length;
    const before = this.#before;
    this.#before = raw.bytes && lineHash(raw.bytes);
    this.#head = this.#before ?? this.#head;
    const fields = parseLine(raw.bytes);
    if (typeof fields === "string") this.#unreadable(raw.number, fields);
    else this.#takeFields(raw, fields, before);
  }

  report(path: string): LogReport {
    for (const { kind, line, message } of this.#sequence.problems()) this.#add(kind, line, message);
    if (!this.#finished) {
      this.#add(
        "unsealed",
        this.#lines,
        "there is no run.finished at the end: killed, still running, or cut",
      );
    }
    return {
      path,
      runId: this.#runId,
      whole: this.#problemCount === 0,
      problems: this.#problems.toSorted((a, b) => a.line - b.line),
      problemCount: this.#problemCount,
      end: { head: this.#head, bytes: this.#bytes, events: this.#lines },
      nextSeq: this.#sequence.next,
      tornBytes: this.#tornBytes,
    };
  }

  #unreadable(line: number, reason: string): void {
    this.#add("altered", line, `this line is ${reason}`);
    this.#sequence.skip();
    this.#finished = false;
    // Reported already: the next line need not say so again.
    this.#before = undefined;
  }

  #takeFields(raw: RawLine, fields: Fields, before: string | undefined): void {
    const { seq, prev, type, run_id } = fields;
    if (typeof seq !== "number" || !Number.isSafeInteger(seq) || seq < 1) {
      this.#unreadable(raw.number, "without a valid seq");
      return;
    }
    const follows = this.#sequence.take(seq, raw.number);
    if (follows && before !== undefined && prev !== before) this.#chainBroken(raw.number);
    // After a line that stands elsewhere, the next one has nothing to be compared with.
    if (!follows) this.#before = undefined;
    this.#runId ??= typeof run_id === "string" ? run_id : undefined;
    if (run_id !== this.#runId) this.#add("altered", raw.number, "this line is of another run");
    this.#takeEnd(raw, fields);
    if (typeof type !== "string") this.#add("altered", raw.number, "this line has no type");
    this.#checkBlobs(raw.number, fields);
  }

  #chainBroken(line: number): void {
    const message = "this line is not what it was when the next one was written";
    if (line === 1) this.#add("altered", 1, "this line is not the start of a log");
    else this.#add("altered", line - 1, message);
  }

  #takeEnd(raw: RawLine, { type, resumed_from }: Fields): void {
    const resumed = type === "run.started" && typeof resumed_from === "number";
    if (this.#finished && !resumed)
      this.#add("appended", raw.number, "this line stands after the end of the run");
    this.#finished = type === "run.finished";
    if (this.#finished && !sealFits(raw.bytes))
      this.#add("altered", raw.number, "this line does not fit its own seal");
  }

  #checkBlobs(line: number, fields: Fields): void {
    for (const [name, value] of Object.entries(fields)) {
      if (!looksLikeReference(value)) continue;
      const found = this.#blobs.get(value);
      if (found.ok) continue;
      const kind = found.trouble === "missing" ? "blob_missing" : "blob_altered";
      this.#add(kind, line, `the blob of ${name}, ${JSON.stringify(value.$blob)}, is ${found.trouble}`);
    }
  }

  #add(kind: LogProblemKind, line: number, message: string): void {
    this.#problemCount += 1;
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push({ kind, line, message });
  }
}

function sealFits(bytes: Buffer | undefined): boolean {
  const at = bytes?.lastIndexOf(SEAL_KEY) ?? -1;
  if (!bytes || at === -1) return false;
  return bytes.subarray(at).equals(Buffer.from(`${SEAL_KEY}${lineHash(bytes.subarray(0, at))}"}`));
}

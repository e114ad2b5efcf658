import { closeSync, fstatSync, lstatSync, writeSync } from "node:fs";
import { join } from "node:path";
import { RuiZNError } from "../errors.ts";
import { BlobStore } from "./blob-store.ts";
import type { Subscriber } from "./event-bus.ts";
import { CHAIN_START, encodeLine, lineHash } from "./log-line.ts";
import { LogSync } from "./log-sync.ts";
import { RunClaim } from "./run-claim.ts";
import type { StampedEvent } from "./run-event.ts";
import { createRunFolder, errorCode, type Folder, type RunPlace } from "./run-folder.ts";

export const EVENTS_FILE = "events.jsonl";

/** When the log is forced to the disk itself. Against a crash of the process, the kernel's copy is enough. */
export type FsyncMode = "none" | "step" | "event";

export interface EventWriterOptions extends RunPlace {
  runId: string;
  /** Default `step`: begun at the end of a step, waited for at the end of the run and before a tool that may write. */
  fsync?: FsyncMode | undefined;
}

/** Where a log that is continued ends. */
export interface LogEnd {
  /** Hash of its last line. */
  head: string;
  bytes: number;
  events: number;
}

const NOTHING_YET: LogEnd = { head: CHAIN_START, bytes: 0, events: 0 };

/** A run's folder that this process has claimed. */
export interface OpenLog {
  folder: Folder;
  claim: RunClaim;
  end: LogEnd;
  fsync?: FsyncMode | undefined;
}

/**
 * Writes each event to `<runs>/<run_id>/events.jsonl` with one write before `publish` returns. Each line carries the
 * hash of the line before; `run.finished` seals the log. Essential: what it throws ends the run.
 */
export class EventWriter implements Subscriber {
  readonly name = "event-writer";
  readonly essential = true;
  readonly path: string;
  readonly #folder: Folder;
  readonly #claim: RunClaim;
  readonly #fd: number;
  readonly #fsync: FsyncMode;
  readonly #sync: LogSync;
  readonly #blobs: BlobStore;
  readonly #end: LogEnd;
  #failed = false;
  #closed = false;

  private constructor({ folder, claim, end, fsync }: OpenLog) {
    this.path = join(folder.path, EVENTS_FILE);
    this.#folder = folder;
    this.#claim = claim;
    this.#fd = folder.open(EVENTS_FILE, end.events === 0 ? "create" : "append");
    this.#fsync = fsync ?? "step";
    this.#sync = new LogSync(this.#fd, folder);
    this.#blobs = new BlobStore(folder, { sync: fsync !== "none" });
    this.#end = { ...end };
  }

  /** Makes the folder of a new run. @throws RuiZNError log_unwritable */
  static create(options: EventWriterOptions): EventWriter {
    const folder = createRunFolder(options, options.runId);
    try {
      const claim = RunClaim.take(folder);
      return new EventWriter({ folder, claim, end: NOTHING_YET, fsync: options.fsync });
    } catch (error) {
      folder.close();
      throw cannotOpen(folder, error);
    }
  }

  /** Goes on where a whole log ends; folder and claim are the writer's from then on. @throws RuiZNError log_unwritable */
  static append(log: OpenLog): EventWriter {
    try {
      return new EventWriter(log);
    } catch (error) {
      throw cannotOpen(log.folder, error);
    }
  }

  /** @throws RuiZNError log_unwritable, whose message says what is on disk; and again for every later event */
  onEvent(stamped: StampedEvent): void {
    if (this.#failed || this.#closed) throw this.#failure(stamped, "the log is closed", undefined);
    try {
      if (isCheckpoint(stamped)) this.#checkInPlace();
      const line = encodeLine(stamped, this.#end.head, this.#blobs);
      this.#write(line);
      this.#end.head = lineHash(line.subarray(0, -1));
      this.#end.events += 1;
      this.#force(stamped);
    } catch (error) {
      this.#failed = true;
      throw this.#failure(stamped, reasonOf(error), error);
    }
  }

  /** May be called twice. A log closed before `run.finished` stays without a seal. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#blobs.close();
    this.#claim.release();
    this.#sync.close(() => {
      closeSync(this.#fd);
      this.#folder.close();
    });
  }

  /** A short write is the disk's or a limit's end; the write of the rest says which. */
  #write(line: Buffer): void {
    let written = writeSync(this.#fd, line);
    while (written < line.length) written += writeSync(this.#fd, line, written);
    this.#end.bytes += line.length;
  }

  #force({ event }: StampedEvent): void {
    if (this.#fsync === "none") return;
    const writes = event.type === "tool_call.started" && event.read_only !== true;
    if (this.#fsync === "event" || writes || event.type === "run.finished") this.#sync.now();
    // What a step that power loss takes would cost is the question to the model, asked again: nothing waits for it.
    else if (event.type === "step.finished") this.#sync.behind();
  }

  /** Two system calls, at each step and before each tool: the file must still be there, ours alone, and whole. */
  #checkInPlace(): void {
    const own = fstatSync(this.#fd);
    const named = lstatSync(this.path, { throwIfNoEntry: false });
    const left = own.nlink === 0 ? "nothing of it is on disk" : `${this.#wholeEvents()} under another name`;
    if (!named) {
      const how = own.nlink === 0 ? "removed" : "moved away";
      throw new LogDisturbed(`it was ${how} during the run`, left);
    }
    if (named.ino !== own.ino || named.dev !== own.dev) {
      throw new LogDisturbed("another file was put in its place during the run", left);
    }
    if (own.size !== this.#end.bytes) {
      const foreign = own.size > this.#end.bytes;
      throw new LogDisturbed(
        `it has ${own.size} bytes where the run wrote ${this.#end.bytes}`,
        foreign ? `${this.#wholeEvents()} before what is not the run's` : "it is not whole on disk",
      );
    }
  }

  #wholeEvents(): string {
    const { events } = this.#end;
    return `${events} whole ${events === 1 ? "event is" : "events are"} on disk`;
  }

  #failure({ stamp, event }: StampedEvent, reason: string, cause: unknown): RuiZNError {
    const onDisk = cause instanceof LogDisturbed ? cause.onDisk : this.#wholeEvents();
    return unwritable(this.path, `event ${stamp.seq} (${event.type}) is lost: ${reason}; ${onDisk}`, cause);
  }
}

/** The log is no longer what the run wrote; not an error of the system. */
class LogDisturbed extends Error {
  readonly onDisk: string;

  constructor(message: string, onDisk: string) {
    super(message);
    this.onDisk = onDisk;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof LogDisturbed) return error.message;
  if (error instanceof RuiZNError) return error.message;
  if (error instanceof TypeError || error instanceof RangeError)
    return `it has no JSON form (${error.message})`;
  switch (errorCode(error)) {
    case "ENOSPC":
      return "no space left on the disk (ENOSPC)";
    case "EDQUOT":
      return "the disk quota is used up (EDQUOT)";
    case "EFBIG":
      return "the file-size limit is reached (EFBIG)";
    default:
      return `the write failed (${errorCode(error)})`;
  }
}

function cannotOpen(folder: Folder, error: unknown): RuiZNError {
  if (error instanceof RuiZNError) return error;
  return unwritable(join(folder.path, EVENTS_FILE), `it can't be opened (${errorCode(error)})`, error);
}

function unwritable(path: string, what: string, cause: unknown): RuiZNError {
  return new RuiZNError("log_unwritable", `${path}: ${what}`, {
    hint: "free space or choose another place with --log-dir, then go on with --resume",
    cause,
  });
}

function isCheckpoint({ event }: StampedEvent): boolean {
  return event.type === "step.started" || event.type === "tool_call.started" || event.type === "run.finished";
}

import { LIMITS } from "../../limits.ts";
import { ToolFailure } from "../../tools/tool-body.ts";
import type { Evidence } from "../protocol.ts";

/** Field names, numbers and punctuation of one entry as JSON, at most. */
const ENTRY_BYTES = 160;

/** What a call touched. Bounded, because main must get all of it: a call that touches more fails instead. */
export class EvidenceLog {
  readonly #entries = new Set<Evidence>();
  readonly #writes = new Map<string, Evidence>();
  #bytes = 0;

  /** The entry stays open: its `bytes` are counted up as they are read. */
  add(entry: Evidence): Evidence {
    this.#expectRoom(entry.real_path);
    this.#bytes += sizeOf(entry.real_path);
    this.#entries.add(entry);
    return entry;
  }

  /** The last write to a path stands for all, so that what was written can be put back however full the log is. */
  addWrite(entry: Evidence): void {
    const earlier = this.#writes.get(entry.real_path);
    if (earlier) Object.assign(earlier, entry);
    else this.#writes.set(entry.real_path, this.add(entry));
  }

  /** To be asked before anything is changed: what can't be reported must not happen. */
  expectRoomForWrite(realPath: string): void {
    if (!this.#writes.has(realPath)) this.#expectRoom(realPath);
  }

  remove(entry: Evidence): void {
    if (this.#entries.delete(entry)) this.#bytes -= sizeOf(entry.real_path);
  }

  #expectRoom(realPath: string): void {
    if (this.#bytes + sizeOf(realPath) <= LIMITS.evidenceMaxBytes) return;
    throw new ToolFailure(
      "output_limit",
      `the call would report from more than ${this.#entries.size} files and directories; narrow it down`,
    );
  }

  list(): Evidence[] {
    return Array.from(this.#entries, (entry) => ({ ...entry }));
  }
}

function sizeOf(realPath: string): number {
  return ENTRY_BYTES + Buffer.byteLength(JSON.stringify(realPath));
}

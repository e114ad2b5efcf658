import { LIMITS } from "../../limits.ts";
import { ToolFailure } from "../../tools/tool-body.ts";
import type { Evidence } from "../protocol.ts";

/** Field names, numbers and punctuation of one entry as JSON, at most. */
const ENTRY_BYTES = 160;

/** What a call touched. Bounded, because main must get all of it: a call that touches more fails instead. */
export class EvidenceLog {
  readonly #entries = new Set<Evidence>();
  #bytes = 0;

  /** The entry stays open: its `bytes` are counted up as they are read. */
  add(entry: Evidence): Evidence {
    this.#bytes += sizeOf(entry);
    if (this.#bytes > LIMITS.evidenceMaxBytes) {
      this.#bytes -= sizeOf(entry);
      throw new ToolFailure(
        "output_limit",
        `the call would report from more than ${this.#entries.size} files and directories; narrow it down`,
      );
    }
    this.#entries.add(entry);
    return entry;
  }

  remove(entry: Evidence): void {
    if (this.#entries.delete(entry)) this.#bytes -= sizeOf(entry);
  }

  list(): Evidence[] {
    return Array.from(this.#entries, (entry) => ({ ...entry }));
  }
}

function sizeOf(entry: Evidence): number {
  return ENTRY_BYTES + Buffer.byteLength(JSON.stringify(entry.real_path));
}

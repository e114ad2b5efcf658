import { types } from "node:util";

const encoder = new TextEncoder();

/** Text up to this many characters travels inside the JSON; longer text beside it, as bytes that are moved. */
const INLINE_MAX_CHARS = 2_048;

export type TextPart = { type: "text"; text: string } | { type: "text"; bytes: [number, number] };

/** Collects the texts of one result and lays the long ones end to end. */
export class TextBytes {
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  add(text: string | Uint8Array): TextPart {
    if (typeof text === "string" && text.length <= INLINE_MAX_CHARS)
      return { type: "text", text: text.toWellFormed() };
    const chunk = typeof text === "string" ? encoder.encode(text) : text;
    const start = this.#length;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    return { type: "text", bytes: [start, this.#length] };
  }

  get length(): number {
    return this.#length;
  }

  /** All bytes in a buffer that can be moved; undefined when there are none. */
  join(): Uint8Array | undefined {
    const [first] = this.#chunks;
    if (!first) return undefined;
    if (this.#chunks.length === 1 && ownsItsBuffer(first)) return first;
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    return joined;
  }
}

/** Moving takes the whole buffer: not one that is shared, pooled, or mostly something else. */
function ownsItsBuffer(chunk: Uint8Array): boolean {
  return types.isArrayBuffer(chunk.buffer) && chunk.byteLength * 2 >= chunk.buffer.byteLength;
}

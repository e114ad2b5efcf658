import type { OpenedFile } from "../../sandbox/guard/workspace.ts";

export interface BytesRead {
  bytes: Uint8Array<ArrayBuffer>;
  /** Whether the end of the file was reached. */
  complete: boolean;
}

/** Reads from a position on, `maxBytes` at most, however large the file says it is or becomes meanwhile. */
export function readBytes(file: OpenedFile, limit: { from?: number; maxBytes: number }): BytesRead {
  const from = limit.from ?? 0;
  // One byte more than there should be: a buffer that is not filled has met the end in one system call.
  let buffer = new Uint8Array(Math.min(Math.max(file.size - from, 0) + 1, limit.maxBytes));
  let filled = 0;
  for (;;) {
    filled += file.read(buffer.subarray(filled), from + filled);
    if (filled < buffer.length) return { bytes: buffer.subarray(0, filled), complete: true };
    if (buffer.length === limit.maxBytes) return { bytes: buffer, complete: from + filled === file.size };
    const larger = new Uint8Array(Math.min(Math.max(buffer.length * 2, 65_536), limit.maxBytes));
    larger.set(buffer);
    buffer = larger;
  }
}

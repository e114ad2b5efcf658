import type { OpenedFile } from "./workspace.ts";

export interface BoundedRead {
  /** Exactly what was read: never padded, and in memory of its own. */
  bytes: Uint8Array;
  /** The file goes on after `bytes`. */
  more: boolean;
  /** Bytes of the whole file; `null` when the file says less than it holds (it grows, or it is made up as it is read). */
  bytesTotal: number | null;
}

/**
 * Reads at most `maxBytes` from a position. The file's stated size only guides how much memory is asked for at
 * first: what is read is what counts, whether the file grows, shrinks, is sparse or states no size at all.
 */
export function readBounded(
  file: OpenedFile,
  { maxBytes, position = 0 }: { maxBytes: number; position?: number },
): BoundedRead {
  // One byte more than is wanted tells whether the file goes on.
  const limit = maxBytes + 1;
  let buffer = new Uint8Array(Math.min(limit, Math.max(file.size - position, 0) + 1));
  let filled = file.read(buffer, position);
  while (filled === buffer.byteLength && filled < limit) {
    const larger = new Uint8Array(Math.min(limit, Math.max(2 * filled, 4_096)));
    larger.set(buffer);
    buffer = larger;
    filled += file.read(buffer.subarray(filled), position + filled);
  }
  const more = filled > maxBytes;
  const bytes = buffer.subarray(0, Math.min(filled, maxBytes));
  const end = position + bytes.byteLength;
  if (!more) return { bytes, more, bytesTotal: filled > 0 || position <= file.size ? end : file.size };
  return { bytes, more, bytesTotal: file.size > end ? file.size : null };
}

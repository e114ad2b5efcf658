/** What one byte of UTF-8 becomes in JSON at most: a control character is written as \u00XX. */
export const JSON_GROWTH_MAX = 6;

const SIZES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return byte < 0x80 ? JSON.stringify(character).length - 2 : 1;
});

/** Whether texts of so many bytes together fit into `limit` once they are JSON; looks at them only when they may not. */
export function fitsAsJson(limit: number, texts: readonly (string | Uint8Array)[], otherBytes = 0): boolean {
  const bytes = texts.reduce(
    (sum, text) => sum + (typeof text === "string" ? Buffer.byteLength(text) : text.byteLength),
    otherBytes,
  );
  if (bytes > limit) return false;
  if (bytes * JSON_GROWTH_MAX <= limit) return true;
  const size = texts.reduce(
    (sum, text) => sum + jsonSize(typeof text === "string" ? Buffer.from(text) : text),
    otherBytes,
  );
  return size <= limit;
}

/** How many bytes a text has as JSON, without its quotes. */
export function jsonSize(utf8: Uint8Array): number {
  let size = 0;
  for (let at = 0; at < utf8.length; at += 1) size += SIZES[utf8[at] ?? 0] ?? 1;
  return size;
}

/** How many bytes from `start` fit into `limit` once they are JSON. May end within a character. */
export function bytesThatFitAsJson(utf8: Uint8Array, start: number, limit: number): number {
  if ((utf8.length - start) * JSON_GROWTH_MAX <= limit) return utf8.length - start;
  let left = limit;
  let at = start;
  while (at < utf8.length) {
    left -= SIZES[utf8[at] ?? 0] ?? 1;
    if (left < 0) break;
    at += 1;
  }
  return at - start;
}

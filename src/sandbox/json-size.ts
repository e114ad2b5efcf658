/** What one byte of UTF-8 becomes in JSON at most: a control character is written as \u00XX. */
export const JSON_GROWTH_MAX = 6;

const SIZES = Uint8Array.from({ length: 256 }, (_, byte) => {
  const character = String.fromCharCode(byte);
  return byte < 0x80 ? JSON.stringify(character).length - 2 : 1;
});

/** Four bytes are read and two are looked up in one go: a quarter of the time of one after the other. */
const WORD = 4;
/** Filled when it is first needed: most runs have no text that large. */
const PAIR_SIZES = new Uint8Array(65_536);

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
  if (utf8.length < WORD) return sizeOf(utf8, 0, utf8.length);
  const lead = (WORD - (utf8.byteOffset % WORD)) % WORD;
  const words = new Int32Array(utf8.buffer, utf8.byteOffset + lead, Math.floor((utf8.length - lead) / WORD));
  const end = lead + words.length * WORD;
  if (PAIR_SIZES[0] === 0) fillPairSizes();
  let size = sizeOf(utf8, 0, lead) + sizeOf(utf8, end, utf8.length);
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? 0;
    size += (PAIR_SIZES[word & 0xffff] ?? 0) + (PAIR_SIZES[word >>> 16] ?? 0);
  }
  return size;
}

function sizeOf(utf8: Uint8Array, from: number, to: number): number {
  let size = 0;
  for (let at = from; at < to; at += 1) size += SIZES[utf8[at] ?? 0] ?? 1;
  return size;
}

function fillPairSizes(): void {
  for (let pair = 0; pair < PAIR_SIZES.length; pair += 1)
    PAIR_SIZES[pair] = (SIZES[pair & 0xff] ?? 0) + (SIZES[pair >> 8] ?? 0);
}

/** How many bytes from `start` fit into `limit` once they are JSON. May end within a character. */
export function bytesThatFitAsJson(utf8: Uint8Array, start: number, limit: number): number {
  const rest = utf8.length - start;
  if (rest * JSON_GROWTH_MAX <= limit || jsonSize(utf8.subarray(start)) <= limit) return rest;
  let left = limit;
  let at = start;
  while (at < utf8.length) {
    left -= SIZES[utf8[at] ?? 0] ?? 1;
    if (left < 0) break;
    at += 1;
  }
  return at - start;
}

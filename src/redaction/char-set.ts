/** A set of characters below U+0100, as a table for the scanning loops. */
export type CharSet = Uint8Array;

/** Of ranges and single characters as in a bracket expression: `a-zA-Z0-9_-` (a `-` at the end stands for itself). */
export function charSet(spec: string): CharSet {
  const set = new Uint8Array(256);
  for (let at = 0; at < spec.length; at++) {
    const from = spec.charCodeAt(at);
    const isRange = spec[at + 1] === "-" && at + 2 < spec.length;
    const to = isRange ? spec.charCodeAt(at + 2) : from;
    for (let code = from; code <= to; code++) set[code] = 1;
    if (isRange) at += 2;
  }
  return set;
}

export function has(set: CharSet, code: number): boolean {
  return code < 256 && set[code] === 1;
}

/** How many characters from `at` on belong to the set, `most` at most. */
export function run(set: CharSet, text: string, { at, most }: { at: number; most: number }): number {
  const end = Math.min(text.length, at + most);
  let here = at;
  while (here < end && has(set, text.charCodeAt(here))) here++;
  return here - at;
}

/** The largest end, at most `end`, that does not cut a UTF-8 character in two. */
export function codePointEnd(bytes: Uint8Array, end: number): number {
  if (end < bytes.length) {
    let cut = end;
    // At most three steps: a UTF-8 character has at most three continuation bytes.
    for (let steps = 0; steps < 3 && cut > 0 && isContinuation(bytes[cut]); steps += 1) cut -= 1;
    return cut;
  }
  const last = lastStart(bytes);
  return last + sequenceLength(bytes[last]) > bytes.length ? last : bytes.length;
}

/** The first position that starts a character: what a cut left of the one before it is skipped. */
export function codePointStart(bytes: Uint8Array): number {
  let start = 0;
  while (start < 3 && isContinuation(bytes[start])) start += 1;
  return start;
}

function lastStart(bytes: Uint8Array): number {
  let start = bytes.length - 1;
  for (let steps = 0; steps < 3 && start > 0 && isContinuation(bytes[start]); steps += 1) start -= 1;
  return Math.max(start, 0);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sequenceLength(lead: number | undefined): number {
  if (lead === undefined || lead < 0xc0) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

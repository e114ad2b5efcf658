const NEWLINE = 0x0a;

/** Where each line begins. A newline at the very end begins no further line; no bytes are no lines. */
export function lineStarts(bytes: Uint8Array): number[] {
  const starts: number[] = [];
  for (let start = 0; start < bytes.length; ) {
    starts.push(start);
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1) break;
    start = end + 1;
  }
  return starts;
}

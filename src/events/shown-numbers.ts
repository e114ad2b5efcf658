const STEP = 1024;
const UNITS = ["KB", "MB", "GB", "TB"] as const;

/** `512 B`, `4.1 KB` (1 KB is 1,024 bytes). */
export function shownBytes(bytes: number): string {
  if (bytes < STEP) return `${bytes} B`;
  let value = bytes / STEP;
  let unit = 0;
  while (value >= 999.95 && unit < UNITS.length - 1) {
    value /= STEP;
    unit++;
  }
  return `${value.toFixed(1)} ${UNITS[unit]}`;
}

/** Of a call or a pause: `3 ms`, `1.5 s`. */
export function shownDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** `1 step`, `2 steps`. */
export function shownCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

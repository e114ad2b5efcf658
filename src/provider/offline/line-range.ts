/** Lines of a file that a goal asks for; `from` counts from 1. */
export interface LineRange {
  from: number;
  lines: number;
}

const SPAN =
  /\blines?\s+(\d{1,7})\s*(?:-|–|to|through|until)\s*(\d{1,7})|第?\s*(\d{1,7})\s*(?:到|至|-|~)\s*第?\s*(\d{1,7})\s*行/iu;
const FIRST = /\bfirst\s+(\d{1,7})\s+lines?|前\s*(\d{1,7})\s*行/iu;

/** Finds "lines 10 to 20", "first 20 lines", "第 10 到 20 行", "前 20 行". */
export function findLineRange(text: string): LineRange | undefined {
  const span = SPAN.exec(text);
  if (span) {
    const from = Math.max(1, Number(span[1] ?? span[3]));
    const to = Number(span[2] ?? span[4]);
    return to >= from ? { from, lines: to - from + 1 } : undefined;
  }
  const first = FIRST.exec(text);
  const lines = Number(first?.[1] ?? first?.[2] ?? 0);
  return lines > 0 ? { from: 1, lines } : undefined;
}

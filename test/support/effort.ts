/**
 * `RUIZN_TEST_LESS=1` makes smaller what counts for more by its number than by the Node line it runs on: CI runs all of it
 * on one line, and on the others a share.
 */
const LESS = process.env["RUIZN_TEST_LESS"] === "1";

export function effort(full: number, less: number): number {
  return LESS ? less : full;
}

/** One in so many, beginning at `from`: with another `from` for each user of the same list, all are used. */
export function aShare<T>(all: readonly T[], oneIn: number, from = 0): readonly T[] {
  return LESS ? all.filter((_, at) => at % oneIn === from % oneIn) : all;
}

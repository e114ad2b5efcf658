/** Line numbers, kept as ranges: first and last line of each, both included. */
export class LineSet {
  /** In order, apart from each other. */
  readonly ranges: readonly (readonly [number, number])[];

  private constructor(ranges: readonly (readonly [number, number])[]) {
    this.ranges = ranges;
  }

  static of(ranges: readonly (readonly [number, number])[]): LineSet {
    const merged: [number, number][] = [];
    for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
      const before = merged.at(-1);
      if (before && first <= before[1] + 1) before[1] = Math.max(before[1], last);
      else if (first <= last) merged.push([first, last]);
    }
    return new LineSet(merged);
  }

  get size(): number {
    return this.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  }

  with(ranges: readonly (readonly [number, number])[]): LineSet {
    return LineSet.of([...this.ranges, ...ranges]);
  }

  has(line: number): boolean {
    return this.ranges.some(([first, last]) => first <= line && line <= last);
  }

  /** Whether any of these lines is among them. */
  touches(first: number, last: number): boolean {
    return this.ranges.some((range) => range[0] <= last && first <= range[1]);
  }

  /** Whether all of these lines are among them. */
  covers(first: number, last: number): boolean {
    return this.ranges.some((range) => range[0] <= first && last <= range[1]);
  }

  and(other: LineSet): LineSet {
    return LineSet.of(
      this.ranges.flatMap(([first, last]) =>
        other.ranges.map((range) => [Math.max(first, range[0]), Math.min(last, range[1])] as const),
      ),
    );
  }
}

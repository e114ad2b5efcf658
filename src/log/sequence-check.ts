import type { LogProblem } from "./log-report.ts";

interface Gap {
  line: number;
  from: number;
  to: number;
}

/** Follows the `seq` of lines and tells lost events from events that stand elsewhere or twice. */
export class SequenceCheck {
  #next = 1;
  #gaps: Gap[] = [];
  readonly #misplaced: LogProblem[] = [];

  /** The number that the event after the last one takes. */
  get next(): number {
    return this.#next;
  }

  /** @returns whether the event follows the one on the line before. */
  take(seq: number, line: number): boolean {
    if (seq === this.#next) {
      this.#next += 1;
      return true;
    }
    if (seq > this.#next) {
      this.#gaps.push({ line, from: this.#next, to: seq - 1 });
      this.#next = seq + 1;
    } else {
      const wasMissing = this.#fill(seq);
      const message = wasMissing
        ? `event ${seq} stands after a later one`
        : `event ${seq} stands here once more`;
      this.#misplaced.push({ kind: "reordered", line, message });
    }
    return false;
  }

  /** Takes a line that can't be read for the event that is due. */
  skip(): void {
    this.#next += 1;
  }

  problems(): LogProblem[] {
    const lost = this.#gaps.map(({ line, from, to }): LogProblem => {
      const what = from === to ? `event ${from} is` : `events ${from} to ${to} are`;
      return { kind: "cut", line, message: `${what} missing before this line` };
    });
    return [...lost, ...this.#misplaced];
  }

  #fill(seq: number): boolean {
    const gap = this.#gaps.find(({ from, to }) => from <= seq && seq <= to);
    if (!gap) return false;
    const parts = [
      { ...gap, to: seq - 1 },
      { ...gap, from: seq + 1 },
    ];
    this.#gaps = this.#gaps.flatMap((g) => (g === gap ? parts.filter(({ from, to }) => from <= to) : [g]));
    return true;
  }
}

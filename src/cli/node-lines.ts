/** The day after which a line of Node gets no security fix any more (nodejs.org/en/about/previous-releases). */
const END_OF_LIFE: Readonly<Record<number, string>> = {
  20: "2026-04-30",
  22: "2027-04-30",
  24: "2028-04-30",
  26: "2029-04-30",
};

export interface NodeLine {
  version: string;
  line: number;
  /** Undefined for a line that is not known here: an odd one, or a newer one. */
  end_of_life?: string;
  supported: boolean;
}

/** Whether this Node still gets security fixes on that day. Odd lines up to 25 never were long-term ones and are over. */
export function nodeLine(version: string, today: Date): NodeLine {
  const line = Number.parseInt(version, 10);
  const end = END_OF_LIFE[line];
  if (end === undefined) return { version, line, supported: line > 26 };
  return { version, line, end_of_life: end, supported: today.toISOString().slice(0, 10) <= end };
}

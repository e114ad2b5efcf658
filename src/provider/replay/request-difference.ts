/** The first place in which two requests differ; undefined stands for what one of them has not got. */
export interface RequestDifference {
  /** Such as `messages[4].content[0].content[0].text`. */
  field: string;
  recorded: unknown;
  now: unknown;
}

const SHOWN_CHARS = 200;

/** Compares as JSON does: what is undefined is not there. Undefined when there is no difference. */
export function firstDifference(recorded: unknown, now: unknown, field = ""): RequestDifference | undefined {
  if (Object.is(recorded, now)) return undefined;
  if (!isObject(recorded) || !isObject(now) || Array.isArray(recorded) !== Array.isArray(now)) {
    return { field, recorded, now };
  }
  for (const key of new Set([...Object.keys(recorded), ...Object.keys(now)])) {
    const inner = Array.isArray(recorded) ? `${field}[${key}]` : field === "" ? key : `${field}.${key}`;
    const difference = firstDifference(recorded[key], now[key], inner);
    if (difference) return difference;
  }
  return undefined;
}

/** On one line. */
export function shownDifference({ field, recorded, now }: RequestDifference): string {
  return `${field} was ${shown(recorded)} and is ${shown(now)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

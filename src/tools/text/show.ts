/** A number as people read it: 1234567 is "1,234,567". */
export function showCount(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** "1 line", "2 lines"; `many` where an s is not enough. */
export function showPlural(value: number, one: string, many = `${one}s`): string {
  return `${showCount(value)} ${value === 1 ? one : many}`;
}

/** No control characters, line separators, direction overrides, quotes or lone surrogates. */
const PLAIN_PATH = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069"\p{Surrogate}]*$/u;

/**
 * A path on one line: one whose name holds control characters or lone surrogates stands in JSON quotes, so that a
 * file name can forge neither another line nor a terminal command.
 */
export function showPath(path: string): string {
  return PLAIN_PATH.test(path)
    ? path
    : JSON.stringify(path).replace(/[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g, escapeUnit);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

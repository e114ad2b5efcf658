/** A text cut to a number of characters, never inside a surrogate pair, with a sign that it was cut. */
export function shorten(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

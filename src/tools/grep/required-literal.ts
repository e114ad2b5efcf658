const META = new Set("\\.+*?()[]{}^$|");

/**
 * The longest text that every match of the pattern contains, as far as is plain to see; "" when nothing is. Looking
 * for it in bytes is many times faster than running the pattern.
 */
export function requiredLiteral(pattern: string): string {
  // Alternatives, groups with flags, quoted parts, character codes and properties are not worth understanding here.
  if (/\||\(\?|\\[QECpPxuU0-9]/.test(pattern)) return "";
  const runs = [""];
  let depth = 0;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at] ?? "";
    const escaped = char === "\\" ? (pattern[at + 1] ?? "") : undefined;
    if (escaped !== undefined) at += 1;
    if (char === "[") at = classEnd(pattern, at);
    if (char === "{") at = Math.max(pattern.indexOf("}", at), at);
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    const literal = escaped === undefined ? !META.has(char) && char : META.has(escaped) && escaped;
    if (depth > 0 || literal === false) runs.push("");
    else if (isOptional(pattern[at + 1])) runs.push("");
    else runs.push((runs.pop() ?? "") + literal);
  }
  return runs.reduce((longest, run) => (run.length > longest.length ? run : longest));
}

/** Whether what stands before is repeated, perhaps zero times. */
function isOptional(next: string | undefined): boolean {
  return next === "?" || next === "*" || next === "{";
}

function classEnd(pattern: string, open: number): number {
  let at = open + 1;
  if (pattern[at] === "^") at += 1;
  if (pattern[at] === "]") at += 1;
  while (at < pattern.length && pattern[at] !== "]") {
    if (pattern[at] === "\\") at += 1;
    // A class within a class: [[:alpha:]].
    else if (pattern.startsWith("[:", at)) at = Math.max(pattern.indexOf(":]", at) + 1, at);
    at += 1;
  }
  return at;
}

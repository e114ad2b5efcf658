/** One segment of a glob: a pattern that never crosses a `/`. */
type Token =
  | { kind: "text"; code: number }
  | { kind: "one" }
  | { kind: "many" }
  | { kind: "class"; negated: boolean; ranges: [number, number][] };

export type SegmentMatcher = (name: string) => boolean;

const code = (char: string): number => char.codePointAt(0) ?? 0;
const SLASH = 0x2f;

/** @throws SyntaxError for an open class or a trailing backslash. */
export function compileSegment(segment: string): SegmentMatcher {
  if (!/[*?[\\]/.test(segment)) return (name) => name === segment;
  const literal = /^\*([^*?[\\]*)$/.exec(segment)?.[1];
  if (literal !== undefined) return (name) => name.endsWith(literal);
  const tokens = parse(Array.from(segment));
  return (name) => matches(tokens, name);
}

function parse(chars: string[]): Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? "";
    if (char === "*") {
      if (tokens.at(-1)?.kind !== "many") tokens.push({ kind: "many" });
    } else if (char === "?") tokens.push({ kind: "one" });
    else if (char === "[") at = parseClass(chars, at, tokens);
    else if (char === "\\") {
      at += 1;
      const escaped = chars[at];
      if (escaped === undefined) throw new SyntaxError("a backslash at the end of the pattern");
      tokens.push({ kind: "text", code: code(escaped) });
    } else tokens.push({ kind: "text", code: code(char) });
  }
  return tokens;
}

/** Takes `[a-z]`, `[!a]`, `[^a]`, `[]a]`; returns where its `]` stands. */
function parseClass(chars: string[], open: number, tokens: Token[]): number {
  let at = open + 1;
  const negated = chars[at] === "!" || chars[at] === "^";
  if (negated) at += 1;
  const ranges: [number, number][] = [];
  for (let first = true; first || chars[at] !== "]"; first = false) {
    const [from, afterFrom] = classChar(chars, at);
    at = afterFrom;
    if (chars[at] === "-" && chars[at + 1] !== "]" && chars[at + 1] !== undefined) {
      const [to, afterTo] = classChar(chars, at + 1);
      at = afterTo;
      ranges.push([from, to]);
    } else ranges.push([from, from]);
  }
  tokens.push({ kind: "class", negated, ranges });
  return at;
}

function classChar(chars: string[], at: number): [value: number, next: number] {
  const escaped = chars[at] === "\\" ? 1 : 0;
  const char = chars[at + escaped];
  if (char === undefined) throw new SyntaxError("a [ without its ]");
  return [code(char), at + escaped + 1];
}

/** Goes back to the last `*` alone, so the work is at most name times pattern: nothing explodes. */
function matches(tokens: readonly Token[], name: string): boolean {
  const codes = Array.from(name, code);
  let token = 0;
  let at = 0;
  let star = -1;
  let starAt = 0;
  while (at < codes.length) {
    const current = tokens[token];
    if (current?.kind === "many") {
      star = token;
      starAt = at;
      token += 1;
    } else if (current && accepts(current, codes[at] ?? 0)) {
      token += 1;
      at += 1;
    } else if (star !== -1) {
      token = star + 1;
      starAt += 1;
      at = starAt;
    } else return false;
  }
  return tokens.slice(token).every(({ kind }) => kind === "many");
}

function accepts(token: Exclude<Token, { kind: "many" }> | Token, value: number): boolean {
  if (token.kind === "text") return token.code === value;
  if (token.kind === "one") return true;
  if (token.kind === "many" || value === SLASH) return false;
  return token.ranges.some(([from, to]) => from <= value && value <= to) !== token.negated;
}

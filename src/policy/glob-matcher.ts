/**
 * Matches paths against a glob (`*` within a segment, `**` across segments, `?` one character) in time linear in
 * text times pattern: a rule is matched in the main thread, where a hostile path must not stall it.
 */
export function globMatcher(glob: string): (text: string) => boolean {
  const tokens = tokenize(glob);
  return (text) => {
    let states = closure(new Set([0]), tokens, true);
    for (const char of text) {
      const next = new Set<number>();
      for (const state of states) step(state, char, tokens, next);
      if (next.size === 0) return false;
      states = closure(next, tokens, char === "/");
    }
    return states.has(tokens.length);
  };
}

type Token =
  | { kind: "char"; char: string }
  | { kind: "any" }
  /** `*`: any characters of one segment. */
  | { kind: "star" }
  /** `**`: any characters. */
  | { kind: "deep" }
  /** Two stars and a slash: whole segments, none included. */
  | { kind: "segments" };

function tokenize(glob: string): Token[] {
  const parts = glob.match(/\*\*+\/|\*+|[^*]/gsu) ?? [];
  return parts.map((part): Token => {
    if (part.startsWith("**")) return { kind: part.endsWith("/") ? "segments" : "deep" };
    if (part === "*") return { kind: "star" };
    return part === "?" ? { kind: "any" } : { kind: "char", char: part };
  });
}

function step(state: number, char: string, tokens: readonly Token[], next: Set<number>): void {
  const token = tokens[state];
  if (!token) return;
  const stays = token.kind === "deep" || token.kind === "segments" || (token.kind === "star" && char !== "/");
  if (stays) next.add(state);
  if ((token.kind === "any" && char !== "/") || (token.kind === "char" && token.char === char))
    next.add(state + 1);
}

/** Stars may stand for nothing; whole segments end only where a segment begins. */
function closure(states: Set<number>, tokens: readonly Token[], atSegmentStart: boolean): Set<number> {
  for (const state of states) {
    const kind = tokens[state]?.kind;
    if (kind === "star" || kind === "deep" || (kind === "segments" && atSegmentStart)) states.add(state + 1);
  }
  return states;
}

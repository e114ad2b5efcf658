/** More alternatives than anybody writes by hand; nested braces multiply. */
const ALTERNATIVES_MAX = 256;

/**
 * The globs that a glob with `{a,b}` stands for; braces nest. A `{` without a comma or its `}` is a plain character,
 * and so is one after a backslash.
 * @throws SyntaxError for `{1..9}` and for too many alternatives.
 */
export function expandBraces(glob: string): string[] {
  const open = firstGroup(glob);
  if (!open) return [glob];
  const head = glob.slice(0, open.start);
  const tails = expandBraces(glob.slice(open.end + 1));
  const expanded: string[] = [];
  for (const alternative of open.alternatives) {
    for (const middle of expandBraces(alternative)) {
      for (const tail of tails) expanded.push(head + middle + tail);
      if (expanded.length > ALTERNATIVES_MAX)
        throw new SyntaxError(`more than ${ALTERNATIVES_MAX} alternatives`);
    }
  }
  return expanded;
}

interface Group {
  start: number;
  end: number;
  alternatives: string[];
}

function firstGroup(glob: string): Group | undefined {
  for (let at = 0; at < glob.length; at += 1) {
    if (glob[at] === "\\") at += 1;
    else if (glob[at] === "[") at = classEnd(glob, at);
    else if (glob[at] === "{") {
      const group = groupAt(glob, at);
      if (group) return group;
    }
  }
  return undefined;
}

function groupAt(glob: string, start: number): Group | undefined {
  const commas: number[] = [];
  let depth = 0;
  for (let at = start; at < glob.length; at += 1) {
    const char = glob[at];
    if (char === "\\") at += 1;
    else if (char === "[") at = classEnd(glob, at);
    else if (char === "{") depth += 1;
    else if (char === "," && depth === 1) commas.push(at);
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) return groupOf(glob, { start, end: at, commas });
    }
  }
  return undefined;
}

function groupOf(glob: string, found: { start: number; end: number; commas: number[] }): Group | undefined {
  const { start, end, commas } = found;
  const inside = glob.slice(start + 1, end);
  if (/^[^,{}]*\.\.[^,{}]*$/.test(inside))
    throw new SyntaxError(`{${inside}}: ranges in braces are not known`);
  if (commas.length === 0) return undefined;
  const edges = [start, ...commas, end];
  const alternatives = edges.slice(1).map((edge, index) => glob.slice((edges[index] ?? 0) + 1, edge));
  return { start, end, alternatives };
}

/** Where a class ends, or the `[` itself when it does not. */
function classEnd(glob: string, open: number): number {
  const from = glob[open + 1] === "!" || glob[open + 1] === "^" ? open + 3 : open + 2;
  const end = glob.indexOf("]", from);
  return end === -1 ? open : end;
}

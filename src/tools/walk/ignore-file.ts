import { GlobPattern } from "./glob-pattern.ts";
import { compileSegment } from "./glob-segment.ts";

interface Rule {
  ignores: boolean;
  directoriesOnly: boolean;
  matches: (path: string, name: string) => boolean;
}

/** What a .gitignore file beyond these bounds asks for is not done at all: half of its rules would be wrong. */
export const IGNORE_FILE_LIMITS = { lines: 2_000, lineChars: 512, bytes: 131_072 } as const;

/** The rules of one ignore file, for paths relative to its directory. */
export class IgnoreFile {
  /** The last rule first: the last one that matches decides. */
  readonly #rules: readonly Rule[];

  /** @param text as git reads a .gitignore; undefined comes back from `parse` when it is beyond the limits. */
  private constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  static parse(text: string): IgnoreFile | undefined {
    const lines = text.split(/\r?\n/);
    if (lines.length > IGNORE_FILE_LIMITS.lines) return undefined;
    if (lines.some((line) => line.length > IGNORE_FILE_LIMITS.lineChars)) return undefined;
    return new IgnoreFile(lines.flatMap(ruleOf).toReversed());
  }

  /** True: ignored. False: a `!` rule takes it back. Undefined: no rule says anything. */
  judge(path: string, name: string, isDirectory: boolean): boolean | undefined {
    for (const rule of this.#rules) {
      if (rule.directoriesOnly && !isDirectory) continue;
      if (rule.matches(path, name)) return rule.ignores;
    }
    return undefined;
  }
}

function ruleOf(line: string): Rule[] {
  // Trailing spaces do not count unless a backslash stands before them.
  let pattern = line.replace(/(?<!\\) +$/, "");
  if (pattern === "" || pattern.startsWith("#")) return [];
  const ignores = !pattern.startsWith("!");
  if (!ignores) pattern = pattern.slice(1);
  const directoriesOnly = pattern.endsWith("/");
  if (directoriesOnly) pattern = pattern.slice(0, -1);
  const matches = matcherOf(pattern);
  return matches ? [{ ignores, directoriesOnly, matches }] : [];
}

/** A pattern without a slash is for names at any depth; one with a slash is for paths from the file's directory. */
function matcherOf(pattern: string): Rule["matches"] | undefined {
  if (pattern === "") return undefined;
  try {
    if (!pattern.includes("/")) {
      const matches = compileSegment(pattern);
      return (_path, name) => matches(name);
    }
    const anchored = pattern.startsWith("/") ? pattern.slice(1) : pattern;
    if (!/[*?[\\]/.test(anchored)) return (path) => path === anchored;
    const glob = new GlobPattern(anchored, { hidden: true, braces: false });
    return (path) => glob.matches(path);
  } catch {
    // git takes a malformed pattern for one that matches nothing.
    return undefined;
  }
}

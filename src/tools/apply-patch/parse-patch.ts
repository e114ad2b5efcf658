/** One file of a patch. A name is undefined where the patch says /dev/null: before a creation, after a deletion. */
export interface FilePatch {
  before: string | undefined;
  after: string | undefined;
  hunks: Hunk[];
}

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  /** Each with its sign. */
  lines: string[];
}

const HUNK_HEADER = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;
/** What a unified diff can say and this tool does not do; silence would be worse. */
const NOT_DONE =
  /^(?:rename (?:from|to)|copy (?:from|to)|Binary files|GIT binary patch|old mode|new mode|(?:new|deleted) file mode 120000)/;

/**
 * Reads a unified diff strictly: line counts must be right, and every file must have a change. Pure and linear, since
 * the main thread reads the names with it too.
 * @throws SyntaxError that names the line
 */
export function parsePatch(text: string): FilePatch[] {
  const reader = new PatchReader(text.split("\n"));
  const files = reader.files();
  if (files.length === 0)
    throw new SyntaxError(`the patch has no file: it needs "--- a/name" and "+++ b/name" lines`);
  return files;
}

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  files(): FilePatch[] {
    const files: FilePatch[] = [];
    let gitHeaderAt: number | undefined;
    while (this.#at < this.#lines.length) {
      const line = this.#line();
      if (line.startsWith("diff --git ")) {
        if (gitHeaderAt !== undefined) throw this.#error("a file without a change", gitHeaderAt);
        gitHeaderAt = this.#at;
      }
      if (NOT_DONE.test(line))
        throw this.#error(`"${line.slice(0, 60)}" is not supported, only changes of text`);
      if (line.startsWith("@@")) throw this.#error(`a hunk without "---" and "+++" lines before it`);
      if (line.startsWith("--- ") && this.#line(1).startsWith("+++ ")) {
        files.push(this.#file());
        gitHeaderAt = undefined;
      } else this.#at += 1;
    }
    if (gitHeaderAt !== undefined) throw this.#error("a file without a change", gitHeaderAt);
    return files;
  }

  #file(): FilePatch {
    const start = this.#at;
    const names = withoutPrefixes(this.#name(), this.#name());
    if (names.before === undefined && names.after === undefined)
      throw this.#error("/dev/null on both sides", start);
    if (names.before !== undefined && names.after !== undefined && names.before !== names.after) {
      throw this.#error("renames are not supported", start);
    }
    const hunks: Hunk[] = [];
    while (this.#line().startsWith("@@")) hunks.push(this.#hunk());
    if (hunks.length === 0) throw this.#error("a file without a hunk", start);
    return { ...names, hunks };
  }

  #name(): string {
    // diff puts the time behind a tab.
    const name = (this.#line().slice(4).split("\t", 1)[0] ?? "").replace(/\r$/, "");
    if (name === "" || name.startsWith('"')) throw this.#error("the file's name is missing or in quotes");
    this.#at += 1;
    return name;
  }

  #hunk(): Hunk {
    const start = this.#at;
    const header = HUNK_HEADER.exec(this.#line());
    if (!header) throw this.#error('a hunk header must look like "@@ -1,3 +1,4 @@"');
    const [oldStart, oldLines, newStart, newLines] = header.slice(1).map((part) => Number(part ?? 1));
    const hunk: Hunk = {
      oldStart: oldStart ?? 0,
      oldLines: oldLines ?? 1,
      newStart: newStart ?? 0,
      newLines: newLines ?? 1,
      lines: [],
    };
    this.#at += 1;
    let old = 0;
    let now = 0;
    while (old < hunk.oldLines || now < hunk.newLines || this.#line().startsWith("\\")) {
      // An empty line stands for an empty line of context whose blank was lost.
      const line = this.#at < this.#lines.length - 1 ? this.#line() || " " : this.#line();
      if (line.startsWith(" ") || line.startsWith("-")) old += 1;
      if (line.startsWith(" ") || line.startsWith("+")) now += 1;
      if (!/^[ +\-\\]/.test(line) || old > hunk.oldLines || now > hunk.newLines) {
        const said = `the hunk says ${hunk.oldLines} old and ${hunk.newLines} new lines`;
        throw this.#error(`${said}, and has other numbers of them`, start);
      }
      hunk.lines.push(line);
      this.#at += 1;
    }
    return hunk;
  }

  #line(ahead = 0): string {
    return this.#lines[this.#at + ahead] ?? "";
  }

  #error(what: string, at = this.#at): SyntaxError {
    return new SyntaxError(`line ${at + 1} of the patch: ${what}`);
  }
}

/** git's a/ and b/, where both sides have them. */
function withoutPrefixes(before: string, after: string): Pick<FilePatch, "before" | "after"> {
  const none = (name: string): boolean => name === "/dev/null";
  const prefixed = (none(before) || before.startsWith("a/")) && (none(after) || after.startsWith("b/"));
  const cut = prefixed ? 2 : 0;
  return {
    before: none(before) ? undefined : before.slice(cut),
    after: none(after) ? undefined : after.slice(cut),
  };
}

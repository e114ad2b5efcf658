import { globFromInput } from "../walk/glob-input.ts";
import type { GlobPattern, GlobState } from "../walk/glob-pattern.ts";
import { type FileType, isOfType } from "./file-types.ts";

/** How far each glob has come on the way down; in the order of the globs. */
export type FilterState = readonly GlobState[];

/** ripgrep's `--glob` and `--type`: which files are searched at all. */
export class FileFilter {
  readonly #globs: { pattern: GlobPattern; excludes: boolean }[];
  readonly #onlyIncluded: boolean;
  readonly #type: FileType | undefined;
  readonly start: FilterState;

  /** @throws ToolFailure for a glob that is malformed or leads out. */
  constructor(globs: readonly string[], type: FileType | undefined) {
    this.#globs = globs.map((glob) => {
      const excludes = glob.startsWith("!");
      // Hidden files are the walk's business; a glob without a slash is for names at any depth.
      return {
        pattern: globFromInput(anyDepth(excludes ? glob.slice(1) : glob), { hidden: true }),
        excludes,
      };
    });
    this.#onlyIncluded = this.#globs.some(({ excludes }) => !excludes);
    this.#type = type;
    this.start = this.#globs.map(({ pattern }) => pattern.start);
  }

  /** Undefined: nothing below is searched. */
  enter(state: FilterState, name: string): FilterState | undefined {
    if (this.#globs.length === 0) return state;
    if (this.#accepts(state, name, true)) return undefined;
    const below = this.#globs.map(({ pattern }, index) => pattern.step(state[index] ?? [], name));
    const reachable = this.#globs.some(({ excludes }, index) => !excludes && (below[index]?.length ?? 0) > 0);
    return this.#onlyIncluded && !reachable ? undefined : below;
  }

  passes(state: FilterState, name: string): boolean {
    if (this.#type && !isOfType(name, this.#type)) return false;
    if (this.#globs.length === 0) return true;
    if (this.#accepts(state, name, true)) return false;
    return !this.#onlyIncluded || this.#accepts(state, name, false);
  }

  #accepts(state: FilterState, name: string, excludes: boolean): boolean {
    return this.#globs.some(
      (glob, index) => glob.excludes === excludes && glob.pattern.accepts(state[index] ?? [], name),
    );
  }
}

function anyDepth(glob: string): string {
  return glob.includes("/") ? glob.replace(/^\//, "") : `**/${glob}`;
}

import type { OpenedDirectory, OpenedFile, Workspace } from "../../sandbox/guard/workspace.ts";
import { readBytes } from "../text/read-bytes.ts";
import { ToolFailure } from "../tool-body.ts";
import { IGNORE_FILE_LIMITS, IgnoreFile } from "./ignore-file.ts";

/** In order of rising weight: what .ignore says beats .gitignore of the same directory, as ripgrep has it. */
export const IGNORE_FILE_NAMES = [".gitignore", ".ignore"] as const;

interface Layer {
  /** Length of "directory/", the part of a path that the file does not see. */
  cut: number;
  file: IgnoreFile;
}

/** What the ignore files of a directory and of those above it say. */
export class IgnoreRules {
  /** The deepest directory first. */
  readonly #layers: readonly Layer[];
  /** Ignore files that were beyond the limits, shared by all that grew out of the same start. */
  readonly #unusable: string[];

  private constructor(layers: readonly Layer[], unusable: string[]) {
    this.#layers = layers;
    this.#unusable = unusable;
  }

  /** The rules of the directories above `path`, from the workspace's root down. */
  static above(workspace: Workspace, path: string): IgnoreRules {
    let rules = new IgnoreRules([], []);
    if (path === ".") return rules;
    const names = path.split("/");
    for (let depth = 0; depth < names.length; depth += 1) {
      const directory = names.slice(0, depth).join("/");
      const prefix = directory === "" ? "" : `${directory}/`;
      rules = rules.#with(prefix, (name) => openIfThere(() => workspace.openFile(prefix + name)));
    }
    return rules;
  }

  get unusable(): readonly string[] {
    return this.#unusable;
  }

  /** With the files of a directory itself; `names` are those of its ignore files that are there. */
  within(workspace: Workspace, directory: OpenedDirectory, names: readonly string[]): IgnoreRules {
    if (names.length === 0) return this;
    const prefix = directory.path === "." ? "" : `${directory.path}/`;
    return this.#with(prefix, (name) => {
      if (!names.includes(name)) return undefined;
      const opened = openIfThere(() => workspace.openEntry(directory, name));
      if (opened?.kind === "file") return opened;
      opened?.discard();
      return undefined;
    });
  }

  ignores(path: string, name: string, isDirectory: boolean): boolean {
    for (const { cut, file } of this.#layers) {
      const verdict = file.judge(cut === 0 ? path : path.slice(cut), name, isDirectory);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }

  #with(prefix: string, open: (name: string) => OpenedFile | undefined): IgnoreRules {
    const layers = [...this.#layers];
    for (const name of IGNORE_FILE_NAMES) {
      const opened = open(name);
      if (!opened) continue;
      const file = read(opened);
      if (file) layers.unshift({ cut: prefix.length, file });
      else this.#unusable.push(prefix + name);
    }
    return new IgnoreRules(layers, this.#unusable);
  }
}

function openIfThere<T>(open: () => T): T | undefined {
  try {
    return open();
  } catch (error) {
    if (error instanceof ToolFailure) return undefined;
    throw error;
  }
}

function read(opened: OpenedFile): IgnoreFile | undefined {
  try {
    const { bytes, complete } = readBytes(opened, { maxBytes: IGNORE_FILE_LIMITS.bytes });
    return complete ? IgnoreFile.parse(new TextDecoder().decode(bytes)) : undefined;
  } finally {
    opened.discard();
  }
}

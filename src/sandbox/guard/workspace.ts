import type { Evidence } from "../protocol.ts";

/** Something that was opened beneath the workspace root; everything here was read off the descriptor. */
export interface Opened {
  readonly fd: number;
  /** Relative to the root, `/`-separated, as the descriptor says; `"."` is the root. */
  readonly path: string;
  readonly dev: number;
  readonly ino: number;
  readonly nlink: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly mode: number;
  /** Closing twice does nothing. */
  close(): void;
  /**
   * Closes it and takes it out of the evidence. Only for a walker, and only when nothing of it is in the result: what
   * a call may leave as evidence is limited, and a search opens more files than it reports.
   */
  discard(): void;
}

export interface OpenedFile extends Opened {
  readonly kind: "file";
  /** Reads into the buffer from a position; fewer bytes than asked for only at the end. Counted in the evidence. */
  read(buffer: Uint8Array, position: number): number;
}

export interface OpenedDirectory extends Opened {
  readonly kind: "directory";
  /** Sorted by name (code units), without `.` and `..`; bounded: `truncated` when there were more. */
  entries(maxEntries?: number): { entries: DirectoryEntry[]; truncated: boolean };
}

export interface DirectoryEntry {
  name: string;
  /** `unreadable`: the name is not UTF-8; `name` shows its bytes escaped and can't be opened. */
  kind: "file" | "directory" | "symlink" | "other" | "unreadable";
}

/** What a symlink says, as far as links in the workspace tell; what lies outside is never asked for. */
export interface LinkText {
  target: string;
  /** Following it, and the links that it leads to, would leave the workspace. */
  leaves: boolean;
}

export interface WrittenFile {
  path: string;
  created: boolean;
  bytes: number;
}

/**
 * The one way to files for code in a worker. Every method throws ToolFailure (`not_found`, `permission_error`,
 * `invalid_input`) with a message for the model, and never anything else for a path that is merely bad. Paths are
 * relative to the root or absolute inside it.
 */
export interface Workspace {
  /** Canonical path of the root. */
  readonly root: string;
  openFile(path: string): OpenedFile;
  openDirectory(path: string): OpenedDirectory;
  /** For tools that take either. */
  open(path: string): OpenedFile | OpenedDirectory;
  /** For walkers: opens an entry of an open directory without following a symlink that is the last component. */
  openEntry(directory: OpenedDirectory, name: string): OpenedFile | OpenedDirectory;
  /** For walkers: reads the symlink of that name without following it; undefined when it is none (any more). */
  readLink(directory: OpenedDirectory, name: string): LinkText | undefined;
  /**
   * Creates or replaces a file atomically: O_EXCL temp file and rename, both through the directory's descriptor.
   * `unless` is called with what is there now (undefined when nothing is) just before the rename and may throw. The
   * permission bits of a replaced file are kept. Refused: a symlink as the last component, a file with other hard
   * links, anything that is not a regular file.
   */
  replaceFile(
    path: string,
    bytes: Uint8Array,
    options?: { createParents?: boolean; unless?: (current: OpenedFile | undefined) => void },
  ): WrittenFile;
  /** `unless` is called with what is about to be removed and may throw. */
  removeFile(path: string, options?: { unless?: (current: OpenedFile) => void }): void;
  /** What was touched so far, in order. */
  evidence(): Evidence[];
  /** Closes the root and whatever is still open; closing twice does nothing. */
  close(): void;
}

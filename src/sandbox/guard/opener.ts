/** What an opener found: an open descriptor, and where it says it is. */
export interface Found {
  readonly fd: number;
  /** Absolute; of the descriptor, not of the name it was asked for. */
  readonly realPath: string;
}

/** A directory in which single names can be reached. */
export interface DirectoryPlace {
  readonly fd: number;
  readonly realPath: string;
}

/**
 * One way from judged path segments to an open descriptor. All throw ToolFailure for what is merely missing or
 * refused. Names given to `at` and `openChild` are single segments.
 */
export interface Opener {
  /** The evidence rests on names, because the system cannot tell a descriptor's path. */
  readonly byName: boolean;
  /** Opens beneath the root, following symlinks that stay inside; no segments mean the root itself. */
  open(segments: readonly string[]): Found;
  /** Opens an entry of an open directory; a symlink is refused, not followed. */
  openChild(directory: DirectoryPlace, name: string): Found;
  /** How the operating system reaches a name in an open directory. */
  at(directory: DirectoryPlace, name: string): string;
  /** How the operating system reaches what is open. */
  reach(opened: Found): string;
  /** Where an open descriptor is now; `known` is where it was put. Throws when that can't be shown. */
  realPathOf(fd: number, known: string): string;
  /**
   * Throws when `at` and `reach` would no longer get at this descriptor. Asked after a directory was listed and around
   * every change beneath it; nothing to do where the system goes by descriptors.
   */
  confirm(opened: Found): void;
  /** Sets the permission bits of an open file. */
  setMode(fd: number, mode: number): void;
  close(): void;
}

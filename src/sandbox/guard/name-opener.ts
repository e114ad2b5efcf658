import { closeSync, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "../../tools/tool-body.ts";
import { errnoOf, openFailure, symlinkRefused } from "./open-failure.ts";
import { NOFOLLOW, READ_FLAGS } from "./open-flags.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { segmentsBeneath, shown, splitPath } from "./path-text.ts";

/**
 * Opens by name, where the system has no /proc/self/fd: resolve, judge, open without following, then see that the
 * name still means what was opened. A process that swaps names all the time can win against this; its evidence says
 * `by_name`.
 */
export class NameOpener implements Opener {
  readonly byName = true;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  open(segments: readonly string[]): Found {
    const asked = segments.length === 0 ? "." : segments.join("/");
    try {
      const resolved = realpathSync.native(join(this.#root, ...segments));
      if (!segmentsBeneath(splitPath(resolved), this.#root)) throw leaves(asked);
      return this.#openResolved(resolved, asked);
    } catch (error) {
      throw this.#explain(error, segments, asked);
    }
  }

  openChild(directory: DirectoryPlace, name: string): Found {
    const at = this.at(directory, name);
    try {
      if (lstatSync(at).isSymbolicLink()) throw symlinkRefused(name, readlinkSync(at));
      return this.#openResolved(at, name);
    } catch (error) {
      throw openFailure(error, name);
    }
  }

  at(directory: DirectoryPlace, name: string): string {
    return join(directory.realPath, name);
  }

  reach(opened: Found): string {
    return opened.realPath;
  }

  realPathOf(_fd: number, known: string): string {
    return known;
  }

  close(): void {}

  #openResolved(resolved: string, asked: string): Found {
    const fd = openSync(resolved, READ_FLAGS | NOFOLLOW);
    try {
      const opened = fstatSync(fd);
      const named = lstatSync(resolved);
      const same = opened.ino === named.ino && opened.dev === named.dev;
      if (!same || realpathSync.native(resolved) !== resolved) {
        throw new ToolFailure("permission_error", `${shown(asked)} was replaced while it was being opened`);
      }
      return { fd, realPath: resolved };
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  /** A link that leads nowhere gives the error of a missing file; where it points decides which of the two it is. */
  #explain(error: unknown, segments: readonly string[], asked: string): ToolFailure {
    if (errnoOf(error) === "ELOOP") {
      return new ToolFailure("invalid_input", `${shown(asked)} goes through a symlink loop`);
    }
    return errnoOf(error) === "ENOENT" && this.#danglesOutside(segments)
      ? leaves(asked)
      : openFailure(error, asked);
  }

  #danglesOutside(segments: readonly string[]): boolean {
    try {
      const target = readlinkSync(join(this.#root, ...segments));
      const parent = realpathSync.native(join(this.#root, ...segments.slice(0, -1)));
      const absolute = target.startsWith("/") ? target : join(parent, target);
      return !segmentsBeneath(splitPath(absolute), this.#root);
    } catch {
      return false;
    }
  }
}

function leaves(asked: string): ToolFailure {
  return new ToolFailure(
    "permission_error",
    `${shown(asked)} goes through a symlink that leads outside the workspace`,
  );
}

import { closeSync, fchmodSync, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { ToolFailure } from "../../tools/tool-body.ts";
import { LinkTrail } from "./link-trail.ts";
import { openFailure, symlinkRefused } from "./open-failure.ts";
import { NOFOLLOW, READ_FLAGS } from "./open-flags.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { shown } from "./path-text.ts";
import { wayFailure } from "./walk-beneath.ts";

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
    const resolved = join(this.#root, ...this.#resolve(segments));
    try {
      return openResolved(resolved, asked);
    } catch (error) {
      throw openFailure(error, asked);
    }
  }

  openChild(directory: DirectoryPlace, name: string): Found {
    const at = this.at(directory, name);
    try {
      if (lstatSync(at).isSymbolicLink()) throw symlinkRefused(name, readlinkSync(at));
      return openResolved(at, name);
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

  realPathOf(fd: number, known: string): string {
    confirmName(fd, known, known);
    return known;
  }

  confirm({ fd, realPath }: Found): void {
    confirmName(fd, realPath, realPath);
  }

  setMode(fd: number, mode: number): void {
    fchmodSync(fd, mode);
  }

  close(): void {}

  /** The names beneath the root that a path stands for once its symlinks are followed. */
  #resolve(segments: readonly string[]): readonly string[] {
    const trail = new LinkTrail(this.#root, segments);
    for (let step = trail.next(); step !== undefined; step = trail.next()) {
      const at = join(this.#root, ...trail.names, step.name);
      try {
        if (lstatSync(at).isSymbolicLink()) trail.follow(step.name, readlinkSync(at, { encoding: "buffer" }));
        else trail.entered(step.name);
      } catch (error) {
        throw wayFailure(trail, error, step.name);
      }
    }
    return trail.names;
  }
}

function openResolved(resolved: string, asked: string): Found {
  const fd = openSync(resolved, READ_FLAGS | NOFOLLOW);
  try {
    confirmName(fd, resolved, asked);
    return { fd, realPath: resolved };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** A path without symlinks must still mean what is open. */
function confirmName(fd: number, path: string, asked: string): void {
  if (!meansStill(fd, path))
    throw new ToolFailure("permission_error", `${shown(asked)} was replaced while it was in use`);
}

function meansStill(fd: number, path: string): boolean {
  const opened = fstatSync(fd);
  try {
    const named = lstatSync(path);
    return opened.ino === named.ino && opened.dev === named.dev && realpathSync.native(path) === path;
  } catch {
    return false;
  }
}

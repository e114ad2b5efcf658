import { closeSync, openSync, readlinkSync } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { LinkTrail } from "./link-trail.ts";
import { errnoOf, openFailure } from "./open-failure.ts";
import { DIRECTORY_PLACE_FLAGS, NOFOLLOW, READ_FLAGS } from "./open-flags.ts";
import { shown } from "./path-text.ts";

/**
 * The descriptor walk (Linux): opens one name after the other through the descriptor of the directory before it,
 * never following a symlink; a symlink's text is read through that same descriptor and walked like the rest.
 * Whatever another process renames meanwhile, each step starts from a directory that was reached from the root.
 * @returns a descriptor opened for reading; the caller finds out what it is.
 */
export function walkBeneath(rootFd: number, root: string, segments: readonly string[]): number {
  const place = new Place(rootFd);
  const trail = new LinkTrail(root, segments, () => place.moveTo(rootFd));
  try {
    for (let step = trail.next(); step !== undefined; step = trail.next()) {
      const opened = take(trail, place, step);
      if (opened !== undefined) return opened;
    }
    return openSync(`/proc/self/fd/${place.fd}/.`, READ_FLAGS);
  } finally {
    place.moveTo(rootFd);
  }
}

/** The directory reached. The root's own descriptor is never closed here. */
class Place {
  readonly #rootFd: number;
  fd: number;

  constructor(rootFd: number) {
    this.#rootFd = rootFd;
    this.fd = rootFd;
  }

  moveTo(fd: number): void {
    if (this.fd !== this.#rootFd) closeSync(this.fd);
    this.fd = fd;
  }
}

/** One name: the descriptor when it was the last one. */
function take(
  trail: LinkTrail,
  place: Place,
  { name, last }: { name: string; last: boolean },
): number | undefined {
  const at = `/proc/self/fd/${place.fd}/${name}`;
  try {
    const fd = openSync(at, (last ? READ_FLAGS : DIRECTORY_PLACE_FLAGS) | NOFOLLOW);
    if (last) return fd;
    place.moveTo(fd);
    trail.entered(name);
  } catch (error) {
    const target = errnoOf(error) === "ELOOP" || errnoOf(error) === "ENOTDIR" ? linkTarget(at) : undefined;
    if (target === undefined) throw wayFailure(trail, error, name);
    trail.follow(name, target);
  }
  return undefined;
}

/** The text of a symlink; undefined when the name is not a symlink (any more). */
function linkTarget(at: string): Buffer | undefined {
  try {
    return readlinkSync(at, { encoding: "buffer" });
  } catch {
    return undefined;
  }
}

/** Says so when it was not the path itself but what a symlink on it names that is missing. */
export function wayFailure(trail: LinkTrail, error: unknown, name: string): ToolFailure {
  if (errnoOf(error) !== "ENOENT" || !trail.followedAny) return openFailure(error, trail.asked);
  const missing = shown([...trail.names, name].join("/"));
  return new ToolFailure(
    "not_found",
    `${shown(trail.asked)} goes through a symlink to ${missing}, which does not exist`,
  );
}

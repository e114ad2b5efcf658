import { closeSync, openSync, readlinkSync } from "node:fs";
import { LIMITS } from "../../limits.ts";
import { ToolFailure } from "../../tools/tool-body.ts";
import { errnoOf, openFailure } from "./open-failure.ts";
import { DIRECTORY_PLACE_FLAGS, NOFOLLOW, READ_FLAGS } from "./open-flags.ts";
import { isAbsolutePath, segmentsBeneath, shown, splitPath } from "./path-text.ts";

// A link to `..` starts the walk anew; this bounds what a hostile tree can make of that.
const STEPS_MAX = 10_000;

interface Walk {
  readonly rootFd: number;
  readonly root: string;
  /** As asked for, for messages. */
  readonly asked: string;
  /** The directory reached; the root's own descriptor is never closed here. */
  fd: number;
  /** Names walked so far; none of them was a symlink. */
  names: string[];
  /** Names still to walk, the next one last. */
  pending: string[];
  hops: number;
  steps: number;
}

/**
 * The descriptor walk (Linux): opens one name after the other through the descriptor of the directory before it,
 * never following a symlink. A symlink's text is read through the same descriptor and walked like the rest; one that
 * climbs over the root or is absolute elsewhere ends the walk before anything outside is touched. Whatever another
 * process renames meanwhile, each step starts from a directory that was reached from the root.
 * @returns a descriptor opened for reading; the caller finds out what it is.
 */
export function walkBeneath(rootFd: number, root: string, segments: readonly string[]): number {
  const asked = segments.length === 0 ? "." : segments.join("/");
  const walk: Walk = {
    rootFd,
    root,
    asked,
    fd: rootFd,
    names: [],
    pending: segments.toReversed(),
    hops: 0,
    steps: 0,
  };
  try {
    for (;;) {
      const opened = step(walk);
      if (opened !== undefined) return opened;
    }
  } finally {
    leave(walk);
  }
}

function step(walk: Walk): number | undefined {
  if (++walk.steps > STEPS_MAX) throw tooManyLinks(walk);
  const name = walk.pending.pop();
  if (name === undefined) return openSync(`/proc/self/fd/${walk.fd}/.`, READ_FLAGS);
  if (name === "..") return up(walk);
  const at = `/proc/self/fd/${walk.fd}/${name}`;
  const last = walk.pending.length === 0;
  try {
    const fd = openSync(at, (last ? READ_FLAGS : DIRECTORY_PLACE_FLAGS) | NOFOLLOW);
    if (last) return fd;
    enter(walk, fd, name);
  } catch (error) {
    const target = errnoOf(error) === "ELOOP" || errnoOf(error) === "ENOTDIR" ? linkTarget(at) : undefined;
    if (target === undefined) throw failure(walk, error, name);
    follow(walk, name, target);
  }
  return undefined;
}

function enter(walk: Walk, fd: number, name: string): void {
  leave(walk);
  walk.fd = fd;
  walk.names.push(name);
}

function leave(walk: Walk): void {
  if (walk.fd !== walk.rootFd) closeSync(walk.fd);
  walk.fd = walk.rootFd;
}

function restart(walk: Walk): void {
  leave(walk);
  walk.pending.push(...walk.names.toReversed());
  walk.names = [];
}

/** `..` out of a symlink's text. Going back is never asked of the kernel: the directory may have been moved away. */
function up(walk: Walk): undefined {
  if (walk.names.pop() === undefined) throw leaves(walk, "..");
  // All steps up that follow at once, so that the walk starts anew once for them.
  while (walk.pending.at(-1) === "..") {
    walk.pending.pop();
    if (walk.names.pop() === undefined) throw leaves(walk, "..");
  }
  restart(walk);
}

function follow(walk: Walk, name: string, target: string): void {
  if (++walk.hops > LIMITS.symlinkMaxHops) throw tooManyLinks(walk);
  if (Buffer.byteLength(target) > LIMITS.pathMaxBytes) throw tooManyLinks(walk);
  const segments = splitPath(target);
  if (!isAbsolutePath(target)) {
    walk.pending.push(...segments.toReversed());
    return;
  }
  const inside = segmentsBeneath(segments, walk.root);
  if (!inside) throw leaves(walk, target, name);
  walk.names = [];
  leave(walk);
  walk.pending.push(...inside.toReversed());
}

/** The text of a symlink; undefined when the name is not a symlink (any more). */
function linkTarget(at: string): string | undefined {
  try {
    const bytes = readlinkSync(at, { encoding: "buffer" });
    const text = bytes.toString("utf8");
    // A target that is not UTF-8 would turn into another file's name.
    if (!Buffer.from(text).equals(bytes)) {
      throw new ToolFailure("invalid_input", `a symlink on the way names ${shown(text)}, which is not UTF-8`);
    }
    return text;
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    return undefined;
  }
}

function failure(walk: Walk, error: unknown, name: string): ToolFailure {
  if (walk.hops > 0 && errnoOf(error) === "ENOENT") {
    return new ToolFailure(
      "not_found",
      `${shown(walk.asked)} goes through a symlink to ${shown([...walk.names, name].join("/"))}, which does not exist`,
    );
  }
  return openFailure(error, walk.asked);
}

function leaves(walk: Walk, target: string, name?: string): ToolFailure {
  const link =
    name === undefined ? "goes through a symlink that" : `goes through the symlink ${shown(name)}, which`;
  const how =
    target === ".." ? "steps up out of the workspace" : `leads to ${shown(target)}, outside the workspace`;
  return new ToolFailure("permission_error", `${shown(walk.asked)} ${link} ${how}`);
}

function tooManyLinks(walk: Walk): ToolFailure {
  return new ToolFailure(
    "invalid_input",
    `${shown(walk.asked)} goes through a symlink loop or more than ${LIMITS.symlinkMaxHops} symlinks`,
  );
}

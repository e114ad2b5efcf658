import {
  closeSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  renameSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import type { EvidenceLog } from "./evidence-log.ts";
import { errnoOf, isNodesRefusal, openFailure } from "./open-failure.ts";
import { CREATE_FLAGS, WRITES_THROUGH } from "./open-flags.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { shown } from "./path-text.ts";
import { newTempName } from "./temp-name.ts";
import { twinInDirectory } from "./unicode-twin.ts";
import type { OpenedFile, WrittenFile } from "./workspace.ts";

const PERMISSION_BITS = 0o777;
const PRIVATE_MODE = 0o600;
const NEW_FILE_MODE = 0o666;

export interface ReplaceRequest {
  readonly opener: Opener;
  readonly parent: DirectoryPlace;
  readonly name: string;
  readonly bytes: Uint8Array;
  /** Opens what is there now, after the refusals of a write. */
  readonly openCurrent: () => OpenedFile | undefined;
  readonly unless?: (current: OpenedFile | undefined) => void;
  /** Throws unless the written file is where it may be; its path relative to the root. */
  readonly judge: (found: Found) => string;
  readonly log: EvidenceLog;
}

/**
 * Writes beside and renames over, both through the directory's descriptor: a reader sees the old file or the new one,
 * a symlink put there meanwhile is replaced and not followed, and a hard link elsewhere keeps the old content.
 */
export function replaceInDirectory(request: ReplaceRequest): WrittenFile {
  const { opener, parent, name } = request;
  request.log.expectRoomForWrite(`${parent.realPath}/${name}`);
  const existed = inspect(request, () => undefined) !== undefined;
  const temp = newTempName();
  const tempPath = opener.at(parent, temp);
  const fd = openTemp(tempPath, name, existed ? PRIVATE_MODE : NEW_FILE_MODE);
  let renamed = false;
  try {
    const written = { fd, realPath: `${parent.realPath}/${temp}` };
    opener.confirm(written);
    writeAll(fd, request.bytes);
    const current = inspect(request, request.unless);
    if (current) takeOver(fd, current, opener);
    if (!WRITES_THROUGH) fsyncSync(fd);
    opener.confirm(written);
    renameSync(tempPath, opener.at(parent, name));
    renamed = true;
    return record(request, fd, current === undefined);
  } catch (error) {
    throw openFailure(error, name);
  } finally {
    closeSync(fd);
    if (!renamed) removeTemp(tempPath);
  }
}

/** Refuses what a write must not replace; undefined when nothing is there. The caller closes it. */
export function checkReplaceable(opener: Opener, parent: DirectoryPlace, name: string): Found | undefined {
  let found: Found;
  try {
    found = opener.openChild(parent, name);
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.errorType !== "not_found") throw error;
    const twin = twinInDirectory(opener, parent, name);
    if (twin === undefined) return undefined;
    throw new ToolFailure(
      "invalid_input",
      `${shown(twin)} exists and looks the same as ${shown(name)}, in other Unicode (${encodeURI(twin)}); use its spelling`,
    );
  }
  const { nlink } = fstatSync(found.fd);
  if (nlink <= 1 || fstatSync(found.fd).isDirectory()) return found;
  closeSync(found.fd);
  throw new ToolFailure(
    "permission_error",
    `${shown(name)} has ${nlink} hard links, so the same file may lie outside the workspace; it is not written`,
  );
}

interface Replaced {
  uid: number;
  gid: number;
  mode: number;
}

function inspect(request: ReplaceRequest, unless: ReplaceRequest["unless"]): Replaced | undefined {
  const current = request.openCurrent();
  try {
    // First, since the writer's check may close what it is shown.
    const replaced = current && fstatSync(current.fd);
    unless?.(current);
    return replaced;
  } finally {
    current?.discard();
  }
}

function openTemp(tempPath: string, name: string, mode: number): number {
  try {
    return openSync(tempPath, CREATE_FLAGS, mode);
  } catch (error) {
    throw openFailure(error, name);
  }
}

function writeAll(fd: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.byteLength; ) done += writeSync(fd, bytes, done);
}

/** Owner where that is allowed, permission bits always; set-user-id and the like are not handed on to new content. */
function takeOver(fd: number, current: Replaced, opener: Opener): void {
  const made = fstatSync(fd);
  try {
    if (made.uid !== current.uid || made.gid !== current.gid) fchownSync(fd, current.uid, current.gid);
  } catch (error) {
    if (errnoOf(error) !== "EPERM" && !isNodesRefusal(error)) throw error;
  }
  opener.setMode(fd, current.mode & PERMISSION_BITS);
}

function record(request: ReplaceRequest, fd: number, created: boolean): WrittenFile {
  const { opener, parent, name, bytes } = request;
  const known = `${parent.realPath}/${name}`;
  const realPath = opener.realPathOf(fd, known);
  const { dev, ino, nlink } = fstatSync(fd);
  const byName = opener.byName ? { by_name: true as const } : {};
  request.log.addWrite({
    access: "write",
    real_path: realPath,
    dev,
    ino,
    nlink,
    bytes: bytes.byteLength,
    ...byName,
  });
  return { path: request.judge({ fd, realPath }), created, bytes: bytes.byteLength };
}

function removeTemp(tempPath: string): void {
  try {
    unlinkSync(tempPath);
  } catch (error) {
    // Its folder may have another name by now, or none: why the write failed is told already.
    if (!["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "")) throw error;
  }
}

import { closeSync, fstatSync, mkdirSync } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { errnoOf, openFailure } from "./open-failure.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { shown } from "./path-text.ts";

// A path that makes more directories than this at once is a mistake or an attack.
const NEW_LEVELS_MAX = 64;

export interface ParentRequest {
  readonly opener: Opener;
  readonly create: boolean;
  /** Throws unless what was opened may be written beneath. */
  readonly judge: (found: Found) => unknown;
  /** As asked for, for messages. */
  readonly path: string;
}

/** Opens the directory that a file is to be written in; with `create`, makes what is missing. The caller closes it. */
export function openParent(request: ParentRequest, segments: readonly string[]): DirectoryPlace {
  try {
    return judged(request, request.opener.open(segments));
  } catch (error) {
    const failure = openFailure(error, request.path);
    if (failure.errorType !== "not_found") throw failure;
    if (!request.create) throw missing(request, segments);
  }
  return makeParents(request, segments);
}

/**
 * From the root down, each directory in the open descriptor of the one above: a path that is swapped in between gets
 * nothing outside.
 */
function makeParents(request: ParentRequest, segments: readonly string[]): DirectoryPlace {
  let place = judged(request, request.opener.open([]));
  for (const [index, name] of segments.entries()) {
    const above = place;
    try {
      const existing = openDown(request, above, segments.slice(0, index + 1));
      if (!existing && segments.length - index > NEW_LEVELS_MAX)
        throw tooDeep(request, segments.length - index);
      place = existing ?? makeDirectory(request, above, name);
    } catch (error) {
      throw openFailure(error, request.path);
    } finally {
      closeSync(above.fd);
    }
  }
  return place;
}

/** The next directory when it is there; a symlink on the way is followed from the root, as everywhere. */
function openDown(request: ParentRequest, above: DirectoryPlace, path: string[]): DirectoryPlace | undefined {
  try {
    return judged(request, request.opener.openChild(above, path.at(-1) ?? ""));
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    if (error.errorType === "not_found") return undefined;
    if (error.errorType !== "permission_error") throw error;
    return judged(request, request.opener.open(path));
  }
}

function makeDirectory(request: ParentRequest, above: DirectoryPlace, name: string): DirectoryPlace {
  try {
    mkdirSync(request.opener.at(above, name));
  } catch (error) {
    // Somebody else made it meanwhile.
    if (errnoOf(error) !== "EEXIST") throw error;
  }
  return judged(request, request.opener.openChild(above, name));
}

function judged(request: ParentRequest, found: Found): DirectoryPlace {
  try {
    request.judge(found);
    if (fstatSync(found.fd).isDirectory()) return found;
    throw new ToolFailure(
      "invalid_input",
      `${shown(request.path)}: a part of the path is a file, not a directory`,
    );
  } catch (error) {
    closeSync(found.fd);
    throw error;
  }
}

function tooDeep(request: ParentRequest, levels: number): ToolFailure {
  return new ToolFailure(
    "invalid_input",
    `${shown(request.path)} needs ${levels} new directories, at most ${NEW_LEVELS_MAX} are made at once`,
  );
}

function missing(request: ParentRequest, segments: readonly string[]): ToolFailure {
  const directory = shown(segments.join("/"));
  return new ToolFailure("not_found", `the directory ${directory} of ${shown(request.path)} does not exist`);
}

import { closeSync, fstatSync, mkdirSync } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { errnoOf, openFailure } from "./open-failure.ts";
import type { DirectoryPlace, Found, Opener } from "./opener.ts";
import { shown } from "./path-text.ts";

export interface ParentRequest {
  readonly opener: Opener;
  readonly create: boolean;
  /** Throws unless what was opened may be written beneath. */
  readonly judge: (found: Found) => unknown;
  /** As asked for, for messages. */
  readonly path: string;
}

/**
 * Opens the directory that a file is to be written in, and makes what is missing of it: each directory in the open
 * descriptor of the one above, so that a path swapped in between gets nothing outside. The caller closes it.
 */
export function openParent(request: ParentRequest, segments: readonly string[]): DirectoryPlace {
  try {
    return judged(request, request.opener.open(segments));
  } catch (error) {
    const failure = openFailure(error, request.path);
    if (failure.errorType !== "not_found") throw failure;
    if (!request.create || segments.length === 0) throw missing(request, failure, segments);
  }
  const above = openParent(request, segments.slice(0, -1));
  try {
    return makeDirectory(request, above, segments.at(-1) ?? "");
  } catch (error) {
    throw openFailure(error, request.path);
  } finally {
    closeSync(above.fd);
  }
}

function makeDirectory(request: ParentRequest, above: DirectoryPlace, name: string): DirectoryPlace {
  try {
    mkdirSync(request.opener.at(above, name));
  } catch (error) {
    // Made by somebody else meanwhile, or a dangling symlink, which the open below refuses.
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

function missing(request: ParentRequest, failure: ToolFailure, segments: readonly string[]): ToolFailure {
  if (request.create) return failure;
  return new ToolFailure(
    "not_found",
    `the directory ${shown(segments.join("/"))} of ${shown(request.path)} does not exist`,
  );
}

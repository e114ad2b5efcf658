import { applyPatch } from "diff";
import type { Workspace } from "../../sandbox/guard/workspace.ts";
import { editableText } from "../edit/editable-text.ts";
import { encodeText, readForChange, refuseTooLarge, sha256Of } from "../edit/file-version.ts";
import { showPath } from "../text/show.ts";
import { ToolFailure } from "../tool-body.ts";
import type { FilePatch } from "./parse-patch.ts";

/** What is to happen to one file; the bytes of both sides, undefined where there is no file. */
export interface Change {
  path: string;
  before: { bytes: Uint8Array; sha256: string } | undefined;
  after: Uint8Array | undefined;
  added: number;
  removed: number;
}

/**
 * Works out every change in memory; writes nothing.
 * @throws ToolFailure for the first file that the patch does not fit
 */
export function planChanges(files: readonly FilePatch[], workspace: Workspace): Change[] {
  const paths = new Set<string>();
  return files.map((file) => {
    const change = planChange(file, workspace);
    if (paths.has(change.path)) {
      throw new ToolFailure("invalid_input", `${showPath(change.path)} stands in the patch twice`);
    }
    paths.add(change.path);
    return change;
  });
}

function planChange(file: FilePatch, workspace: Workspace): Change {
  const lines = file.hunks.flatMap((hunk) => hunk.lines);
  const counts = {
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
  if (file.before === undefined) return { ...created(file, workspace), ...counts };
  const opened = workspace.openFile(file.before);
  try {
    const bytes = readForChange(opened);
    const { text, mark } = editableText(file.before, bytes);
    const patched = patchedText(file.before, text, file);
    if (file.after === undefined && patched !== "") {
      throw new ToolFailure(
        "invalid_input",
        `the patch deletes ${showPath(file.before)} but not all of its text`,
      );
    }
    const after = file.after === undefined ? undefined : encodeText(mark + patched, "the patch");
    if (after) refuseTooLarge(file.before, after.length);
    return { path: opened.path, before: { bytes, sha256: sha256Of(bytes) }, after, ...counts };
  } finally {
    opened.close();
  }
}

function created(file: FilePatch, workspace: Workspace): Pick<Change, "path" | "before" | "after"> {
  const path = file.after ?? "";
  if (exists(path, workspace)) {
    throw new ToolFailure("invalid_input", `the patch creates ${showPath(path)}, which exists`);
  }
  const after = encodeText(patchedText(path, "", file), "the patch");
  refuseTooLarge(path, after.length);
  return { path, before: undefined, after };
}

function exists(path: string, workspace: Workspace): boolean {
  try {
    workspace.open(path).discard();
    return true;
  } catch (error) {
    if (error instanceof ToolFailure && error.errorType === "not_found") return false;
    throw error;
  }
}

function patchedText(path: string, text: string, { hunks }: FilePatch): string {
  const patch = { oldFileName: path, newFileName: path, oldHeader: undefined, newHeader: undefined, hunks };
  const patched = text === "" ? addedText(hunks) : applyPatch(text, patch);
  if (patched !== false) return patched;
  throw new ToolFailure(
    "invalid_input",
    `the patch does not fit ${showPath(path)}${misfit(path, text, hunks)}`,
  );
}

/** Where there is no text yet; the library takes that for one line without an end. */
function addedText(hunks: FilePatch["hunks"]): string | false {
  const lines = hunks.flatMap((hunk) => hunk.lines);
  const open = lines.at(-1)?.startsWith("\\") === true;
  const added = open ? lines.slice(0, -1) : lines;
  if (!added.every((line) => line.startsWith("+"))) return false;
  return added.map((line) => line.slice(1)).join("\n") + (open ? "" : "\n");
}

/** Which hunk is the first that does not fit, tried with those before it. */
function misfit(path: string, text: string, hunks: FilePatch["hunks"]): string {
  for (let count = 1; count <= hunks.length; count += 1) {
    const part = hunks.slice(0, count);
    const patch = {
      oldFileName: path,
      newFileName: path,
      oldHeader: undefined,
      newHeader: undefined,
      hunks: part,
    };
    const hunk = part.at(-1);
    if (hunk && applyPatch(text, patch) === false) {
      return `: hunk ${count} (@@ -${hunk.oldStart},${hunk.oldLines} @@) has context or deleted lines that are not there; read the file again`;
    }
  }
  return "";
}

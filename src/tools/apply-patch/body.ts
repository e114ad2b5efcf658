import type { Workspace } from "../../sandbox/guard/workspace.ts";
import { readForChange, sha256Of, unlessChanged } from "../edit/file-version.ts";
import { showPath } from "../text/show.ts";
import { type ToolBody, ToolFailure } from "../tool-body.ts";
import { type FilePatch, parsePatch } from "./parse-patch.ts";
import { type Change, planChanges } from "./plan.ts";
import type { ApplyPatchInput } from "./spec.ts";

export const applyPatchBody: ToolBody<ApplyPatchInput> = (input, { workspace }) => {
  const changes = planChanges(parsed(input.patch), workspace);
  // Deletions last: what a failure undoes then is, as a rule, files that are still there.
  const ordered = [...changes.filter(({ after }) => after), ...changes.filter(({ after }) => !after)];
  const done: Change[] = [];
  for (const change of ordered) {
    try {
      make(change, workspace);
      done.push(change);
    } catch (error) {
      throw undone(error, wasMade(change, workspace) ? [...done, change] : done, workspace);
    }
  }
  return {
    content: [{ type: "text", text: changes.map(summary).join("\n") }],
    data: {
      files: changes.length,
      created: changes.filter(({ before }) => !before).length,
      deleted: changes.filter(({ after }) => !after).length,
    },
  };
};

function parsed(patch: string): FilePatch[] {
  try {
    return parsePatch(patch);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ToolFailure("invalid_input", error.message);
  }
}

function make({ path, before, after }: Change, workspace: Workspace): void {
  const unless = unlessChanged(path, before?.sha256);
  if (after) {
    workspace.replaceFile(path, after, { createParents: true, unless });
    return;
  }
  workspace.removeFile(path, { unless });
}

/** A file can be in its place and the write fail all the same: its folder was moved out of the workspace meanwhile. */
function wasMade({ path, after }: Change, workspace: Workspace): boolean {
  if (!after) return false;
  try {
    const file = workspace.openFile(path);
    const sha256 = sha256Of(readForChange(file));
    file.discard();
    return sha256 === sha256Of(after);
  } catch {
    return false;
  }
}

/** Puts back what was changed before something failed; the failure then says what could not be put back. */
function undone(error: unknown, done: readonly Change[], workspace: Workspace): unknown {
  const left = done.toReversed().filter((change) => !putBack(change, workspace));
  if (left.length === 0) return error;
  const message = error instanceof Error ? error.message : String(error);
  const names = left.map(({ path }) => showPath(path)).join(", ");
  return new ToolFailure("runtime_error", `${message}; and these files could not be put back: ${names}`);
}

/** Only over what this patch wrote: what somebody else wrote since then is theirs. */
function putBack({ path, before, after }: Change, workspace: Workspace): boolean {
  const unless = unlessChanged(path, after && sha256Of(after));
  try {
    if (before) workspace.replaceFile(path, before.bytes, { createParents: true, unless });
    else workspace.removeFile(path, { unless });
    return true;
  } catch {
    return false;
  }
}

function summary({ path, before, after, added, removed }: Change): string {
  const kind = before ? (after ? "M" : "D") : "A";
  return `${kind} ${showPath(path)} (+${added} -${removed})`;
}

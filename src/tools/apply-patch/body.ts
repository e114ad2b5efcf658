import type { Workspace } from "../../sandbox/guard/workspace.ts";
import { unlessChanged } from "../edit/file-version.ts";
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
      throw undone(error, done, workspace);
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
  const current = workspace.openFile(path);
  try {
    unless(current);
  } finally {
    current.close();
  }
  workspace.removeFile(path);
}

/** Puts back what was changed before something failed; the failure then says what could not be put back. */
function undone(error: unknown, done: readonly Change[], workspace: Workspace): unknown {
  const left = done.toReversed().filter((change) => !putBack(change, workspace));
  if (left.length === 0) return error;
  const message = error instanceof Error ? error.message : String(error);
  const names = left.map(({ path }) => showPath(path)).join(", ");
  return new ToolFailure("runtime_error", `${message}; and these files could not be put back: ${names}`);
}

function putBack({ path, before }: Change, workspace: Workspace): boolean {
  try {
    if (before) workspace.replaceFile(path, before.bytes, { createParents: true });
    else workspace.removeFile(path);
    return true;
  } catch {
    return false;
  }
}

function summary({ path, before, after, added, removed }: Change): string {
  const kind = before ? (after ? "M" : "D") : "A";
  return `${kind} ${showPath(path)} (+${added} -${removed})`;
}

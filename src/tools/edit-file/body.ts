import type { Workspace } from "../../sandbox/guard/workspace.ts";
import { type EditableText, editableText } from "../edit/editable-text.ts";
import {
  changedSinceRead,
  encodeText,
  readForChange,
  refuseTooLarge,
  sha256Of,
  unlessChanged,
} from "../edit/file-version.ts";
import { unifiedDiff } from "../edit/unified-diff.ts";
import { showPath } from "../text/show.ts";
import { type ToolBody, ToolFailure } from "../tool-body.ts";
import { applyEdits } from "./apply-edits.ts";
import type { EditFileInput } from "./spec.ts";

export const editFileBody: ToolBody<EditFileInput> = (input, { workspace }) => {
  const before = readCurrent(input, workspace);
  const after = applyEdits(input.path, before.text, input.edits);
  if (after === before.text) {
    throw new ToolFailure("invalid_input", `the edits together leave ${showPath(input.path)} as it is`);
  }
  const bytes = encodeText(before.mark + after, "new_string");
  refuseTooLarge(input.path, bytes.length);
  const written = workspace.replaceFile(input.path, bytes, {
    unless: unlessChanged(input.path, before.sha256),
  });
  const diff = unifiedDiff(written.path, before.text, after);
  return {
    content: [{ type: "text", text: diff.text }],
    data: {
      path: written.path,
      edits: input.edits.length,
      bytes_written: bytes.length,
      sha256: sha256Of(bytes),
      bytes_total: diff.bytesTotal,
      bytes_shown: diff.bytesShown,
      truncated: diff.truncated,
    },
  };
};

function readCurrent(input: EditFileInput, workspace: Workspace): EditableText & { sha256: string } {
  const file = workspace.openFile(input.path);
  try {
    const bytes = readForChange(file);
    const actual = sha256Of(bytes);
    const expected = input.expected_sha256;
    if (expected !== undefined && expected !== actual)
      throw changedSinceRead(input.path, { expected, actual });
    return { ...editableText(file.path, bytes), sha256: actual };
  } finally {
    file.close();
  }
}

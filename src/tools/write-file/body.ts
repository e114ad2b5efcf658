import type { OpenedFile } from "../../sandbox/guard/workspace.ts";
import { encodeText, refuseTooLarge, sha256Of, unlessChanged } from "../edit/file-version.ts";
import { showPath, showPlural } from "../text/show.ts";
import { type ToolBody, ToolFailure } from "../tool-body.ts";
import type { WriteFileInput } from "./spec.ts";

export const writeFileBody: ToolBody<WriteFileInput> = (input, { workspace }) => {
  const bytes = encodeText(input.content, "content");
  refuseTooLarge(input.path, bytes.length);
  const written = workspace.replaceFile(input.path, bytes, { createParents: true, unless: condition(input) });
  const what = `${written.created ? "Created" : "Replaced"} ${showPath(written.path)}`;
  return {
    content: [{ type: "text", text: `${what}: ${showPlural(bytes.length, "byte")}.` }],
    data: {
      path: written.path,
      created: written.created,
      bytes_written: bytes.length,
      sha256: sha256Of(bytes),
    },
  };
};

function condition(input: WriteFileInput): (current: OpenedFile | undefined) => void {
  if (input.expected_sha256 !== undefined) return unlessChanged(input.path, input.expected_sha256);
  return (current) => {
    if (!current || input.overwrite === true) return;
    throw new ToolFailure(
      "invalid_input",
      `${showPath(input.path)} exists; read it and pass its expected_sha256, or overwrite: true to replace it unseen`,
    );
  };
}

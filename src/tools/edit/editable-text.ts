import { isUtf8 } from "node:buffer";
import { showPath } from "../text/show.ts";
import { ToolFailure } from "../tool-body.ts";

const BYTE_ORDER_MARK = "\ufeff";

/** The text of a file that can be changed without touching a byte beside the change. */
export interface EditableText {
  text: string;
  /** Stands before the text in the file; no part of what is edited. */
  mark: "" | typeof BYTE_ORDER_MARK;
}

/** @throws ToolFailure invalid_input for what would not come out as it went in. */
export function editableText(path: string, bytes: Uint8Array): EditableText {
  if (!isUtf8(bytes) || bytes.includes(0)) {
    const kind = bytes.includes(0) ? "binary" : "not valid UTF-8";
    throw new ToolFailure(
      "invalid_input",
      `${showPath(path)} is ${kind}; it can't be edited without damage (write_file replaces it as a whole)`,
    );
  }
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return text.startsWith(BYTE_ORDER_MARK)
    ? { text: text.slice(1), mark: BYTE_ORDER_MARK }
    : { text, mark: "" };
}

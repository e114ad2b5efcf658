import { createHash } from "node:crypto";
import { LIMITS } from "../../limits.ts";
import type { OpenedFile } from "../../sandbox/guard/workspace.ts";
import { type BodyResult, type ToolBody, ToolFailure } from "../tool-body.ts";
import type { ToolData } from "../tool-result.ts";
import { type DecodedText, decodeText } from "../text/decode-text.ts";
import { type BytesRead, readBytes } from "../text/read-bytes.ts";
import { showCount, showPath } from "../text/show.ts";
import { imageBlock, imageType } from "./image.ts";
import { notebookText } from "./notebook.ts";
import type { ReadFileInput } from "./spec.ts";
import { type TextPart, textResult } from "./text-result.ts";

export const readFileBody: ToolBody<ReadFileInput> = (input, { workspace }) => {
  const from = input.byte_offset ?? 0;
  if (input.ranges && (input.offset !== undefined || input.limit !== undefined)) {
    throw new ToolFailure("invalid_input", "give either ranges or offset and limit, not both");
  }
  const file = workspace.openFile(input.path);
  try {
    if (from > file.size) throw beyondEnd(file, from);
    const read = readBytes(file, { from, maxBytes: LIMITS.readMaxBytes });
    return resultOf(file, read, input);
  } finally {
    file.close();
  }
};

function resultOf(file: OpenedFile, read: BytesRead, input: ReadFileInput): BodyResult {
  const from = input.byte_offset ?? 0;
  const data = fileData(file, read, from);
  if (read.bytes.length === 0) return emptyResult(file, data, from);
  const mediaType = from === 0 ? imageType(read.bytes) : undefined;
  if (mediaType) return imageResult(file, read, { data, mediaType });
  const decoded = decodeText(read.bytes, { fromStart: from === 0, toEnd: read.complete });
  if (!decoded) throw binary(file);
  const part: TextPart = {
    path: file.path,
    bytes: decoded.utf8,
    encoding: decoded.encoding,
    from,
    to: from + read.bytes.length,
    complete: read.complete,
    notes: notesOf(file, decoded, from),
  };
  return textResult(from === 0 && read.complete ? asNotebook(part) : part, input, data);
}

function fileData(file: OpenedFile, read: BytesRead, from: number): ToolData {
  const seen = from + read.bytes.length;
  // A file that has more than fstat said is growing, or is one whose size nobody knows.
  const total = read.complete ? seen : file.size >= seen ? file.size : null;
  const data: ToolData = { path: file.path, bytes_total: total, bytes_shown: 0, truncated: false };
  if (file.nlink > 1) data["hard_links"] = file.nlink;
  if (read.complete && from === 0) data["sha256"] = createHash("sha256").update(read.bytes).digest("hex");
  return data;
}

function emptyResult(file: OpenedFile, data: ToolData, from: number): BodyResult {
  const text = from === 0 ? "(empty file)" : `(byte ${showCount(from)} is the end of ${showPath(file.path)})`;
  return { content: [{ type: "text", text }], data: { ...data, lines_total: from === 0 ? 0 : null } };
}

function imageResult(
  file: OpenedFile,
  read: BytesRead,
  known: { data: ToolData; mediaType: NonNullable<ReturnType<typeof imageType>> },
): BodyResult {
  if (!read.complete) {
    throw new ToolFailure(
      "invalid_input",
      `${showPath(file.path)} is an image of ${showCount(file.size)} bytes, limit ${showCount(LIMITS.readMaxBytes)}; ask for a smaller copy`,
      { bytes_total: file.size },
    );
  }
  const data = { ...known.data, bytes_shown: read.bytes.length, media_type: known.mediaType };
  return { content: [imageBlock(read.bytes, known.mediaType)], data };
}

function asNotebook(part: TextPart): TextPart {
  if (!part.path.endsWith(".ipynb")) return part;
  const text = notebookText(new TextDecoder().decode(part.bytes));
  if (text === undefined) return part;
  const note = "This is a notebook: its cells are shown as text, and lines are counted in that text.";
  return { ...part, bytes: new TextEncoder().encode(text), rendered: true, notes: [...part.notes, note] };
}

function notesOf(file: OpenedFile, decoded: DecodedText, from: number): string[] {
  const notes: string[] = [];
  if (decoded.encoding === "windows-1252") {
    notes.push(
      "The file is not valid UTF-8; it is shown as windows-1252, so characters beyond ASCII may be wrong.",
    );
  } else if (decoded.encoding !== "utf-8") {
    notes.push(`The file is ${decoded.encoding}; it is shown without its byte-order mark.`);
  }
  if (file.nlink > 1) notes.push(`The file has ${file.nlink} hard links: it has other names too.`);
  if (from > 0) notes.push(`Lines are counted from byte ${showCount(from)}.`);
  return notes;
}

function binary(file: OpenedFile): ToolFailure {
  const message = `${showPath(file.path)} is a binary file of ${showCount(file.size)} bytes; read_file shows text and images only`;
  return new ToolFailure("invalid_input", message, { bytes_total: file.size });
}

function beyondEnd(file: OpenedFile, from: number): ToolFailure {
  const message = `byte_offset ${showCount(from)} lies beyond the end of ${showPath(file.path)}, which has ${showCount(file.size)} bytes`;
  return new ToolFailure("invalid_input", message, { bytes_total: file.size });
}

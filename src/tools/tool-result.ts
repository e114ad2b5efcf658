import type { ToolErrorType } from "../errors.ts";
import type { ImageBlock, TextBlock } from "../messages.ts";

export type ToolContent = TextBlock | ImageBlock;

/** What a tool says about its result besides the content; bounded plain JSON. */
export interface ToolData {
  /** Bytes there were to show; `null` when the tool does not know. */
  bytes_total?: number | null;
  bytes_shown?: number;
  truncated?: boolean;
  [key: string]: unknown;
}

/** What happened where: which isolation the call ran in, and whether the seal was on it. */
export interface ToolIsolation {
  isolation: "thread" | "process" | "none";
  seal: "held" | "partial" | "unavailable" | "off" | "none";
}

/** Success and failure have the same fields; `errorType` is set exactly when `isError` is true. */
export interface ToolResult extends ToolIsolation {
  callId: string;
  toolName: string;
  isError: boolean;
  errorType: ToolErrorType | null;
  /** For the model. Never empty text: an empty file is said in words beside its empty content. */
  content: ToolContent[];
  data: ToolData;
  durationMs: number;
  /** UTF-8 bytes of the text blocks and base64 characters of the images. */
  bytesShown: number;
  bytesTotal: number | null;
  truncated: boolean;
  /** Set with `result_rejected`: which check of the re-check failed. */
  violation?: { check: string; detail: string };
}

import type { ToolErrorType } from "../errors.ts";
import type { ToolContent, ToolData, ToolIsolation, ToolResult } from "./tool-result.ts";

/** How a call came out, before it is dressed as a ToolResult. */
export type CallOutcome = Partial<ToolIsolation> & { data?: ToolData } & (
    | { ok: true; content: ToolContent[] }
    | { ok: false; errorType: ToolErrorType; message: string; violation?: { check: string; detail: string } }
  );

/** Dresses the outcome of a call: success and failure get the same fields, and the sizes are counted here. */
export function toToolResult(options: {
  callId: string;
  toolName: string;
  outcome: CallOutcome;
  durationMs: number;
}): ToolResult {
  const { callId, toolName, outcome, durationMs } = options;
  const content = outcome.ok ? withoutEmptyText(outcome.content) : [text(outcome.message)];
  const data = outcome.data ?? {};
  return {
    callId,
    toolName,
    isError: !outcome.ok,
    errorType: outcome.ok ? null : outcome.errorType,
    content,
    data,
    durationMs,
    bytesShown: content.reduce((sum, block) => sum + sizeOf(block), 0),
    bytesTotal: typeof data.bytes_total === "number" ? data.bytes_total : null,
    truncated: data.truncated === true,
    isolation: outcome.isolation ?? "none",
    seal: outcome.seal ?? "none",
    ...(!outcome.ok && outcome.violation && { violation: outcome.violation }),
  };
}

/** The API refuses empty text, so a result without any says so in words. */
function withoutEmptyText(content: ToolContent[]): ToolContent[] {
  const shown = content.filter((block) => block.type !== "text" || block.text !== "");
  return shown.length > 0 ? shown : [text("(the result is empty)")];
}

function text(value: string): ToolContent {
  return { type: "text", text: value };
}

function sizeOf(block: ToolContent): number {
  return block.type === "text" ? Buffer.byteLength(block.text) : block.source.data.length;
}

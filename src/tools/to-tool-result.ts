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
  // The model is told the type too: the system prompt says for each what to do next.
  const content = outcome.ok
    ? withoutBlankText(outcome.content)
    : [text(`${outcome.errorType}: ${outcome.message}`)];
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

/** The API refuses text that is empty or nothing but white space, so such a text is said in words. */
function withoutBlankText(content: ToolContent[]): ToolContent[] {
  const shown = content.filter((block) => block.type !== "text" || block.text !== "").map(inWords);
  return shown.length > 0 ? shown : [text("(the result is empty)")];
}

function inWords(block: ToolContent): ToolContent {
  if (block.type !== "text" || block.text.trim() !== "") return block;
  const lineFeeds = block.text.split("\n").length - 1;
  return text(`(nothing but white space: ${block.text.length} characters, ${lineFeeds} line feeds)`);
}

function text(value: string): ToolContent {
  return { type: "text", text: value };
}

function sizeOf(block: ToolContent): number {
  return block.type === "text" ? Buffer.byteLength(block.text) : block.source.data.length;
}

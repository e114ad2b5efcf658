import type { ToolCall } from "../tools/invoke-tool.ts";
import { toToolResult } from "../tools/to-tool-result.ts";
import type { ToolContent, ToolResult } from "../tools/tool-result.ts";
import type { Redactor } from "./redactor.ts";

export interface RedactedCalls {
  invoke(call: ToolCall): Promise<ToolResult>;
  isReadOnly(name: string): boolean;
  redactor: Redactor;
}

/**
 * Makes a call whose result holds no secret. A tool that may write is not given a marker to write: it stands for a
 * secret that the model was not shown, and would take its place in the file.
 */
export async function redactingInvoke(call: ToolCall, calls: RedactedCalls): Promise<ToolResult> {
  const { redactor } = calls;
  const refused = !calls.isReadOnly(call.name) && redactor.holdsMarker(call.input);
  const result = refused ? notWritten(call) : await calls.invoke(call);
  const content = redactor.value(result.content);
  const clean = { ...result, content, data: redactor.value(result.data) };
  if (result.violation) clean.violation = redactor.value(result.violation);
  return content === result.content ? clean : { ...clean, bytesShown: sizeOf(content) };
}

function notWritten(call: ToolCall): ToolResult {
  const message = `${call.name}: the input holds [redacted:…], which stands for a secret; leave the secret where it is and change only what is around it`;
  return toToolResult({
    callId: call.id,
    toolName: call.name,
    outcome: { ok: false, errorType: "invalid_input", message },
    durationMs: 0,
  });
}

function sizeOf(content: readonly ToolContent[]): number {
  return content.reduce(
    (sum, block) => sum + (block.type === "text" ? Buffer.byteLength(block.text) : block.source.data.length),
    0,
  );
}

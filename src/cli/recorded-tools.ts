import type { Cassette } from "../log/read-cassette.ts";
import { BaseTool } from "../tools/base-tool.ts";
import type { ToolCall } from "../tools/invoke-tool.ts";
import type { ToolResult } from "../tools/tool-result.ts";

/** Stands for a tool that a recorded run had, whether it is still there or not. It is never run. */
class RecordedTool extends BaseTool {
  override readonly name: string;
  override readonly description = "A tool of a recorded run.";
  override readonly inputSchema = { type: "object" } as const;
  override readonly annotations;
  override readonly profile = "read" as const;

  constructor(name: string, readOnly: boolean) {
    super();
    this.name = name;
    this.annotations = { readOnlyHint: readOnly, destructiveHint: !readOnly, idempotentHint: readOnly };
  }
}

/**
 * The tools of a recorded run, which answer from its log. Those that are still there are described as they are, since
 * the size of a description counts when a conversation has to fit a window.
 */
export function recordedTools(
  { started, writers, answers }: Cassette,
  known: readonly BaseTool[],
): {
  tools: BaseTool[];
  answer: (call: ToolCall) => ToolResult;
} {
  const byName = new Map<string, BaseTool>();
  for (const tool of known) byName.set(tool.name, tool);
  const tools: BaseTool[] = [];
  for (const name of started.tools) {
    tools.push(byName.get(name) ?? new RecordedTool(name, !writers.has(name)));
  }
  return { tools, answer: (call) => recordedResult(call, answers) };
}

function recordedResult({ id, name }: ToolCall, answers: Cassette["answers"]): ToolResult {
  const event = answers.get(id);
  if (!event) return brokeOff(id, name);
  return {
    callId: id,
    toolName: name,
    isError: event.is_error,
    errorType: event.error_type,
    content: event.content,
    data: event.data,
    durationMs: event.duration_ms,
    bytesShown: event.bytes_shown,
    bytesTotal: event.bytes_total,
    truncated: event.truncated,
    isolation: event.isolation,
    seal: event.seal,
  };
}

/** The recorded run ended before the call did. */
function brokeOff(id: string, name: string): ToolResult {
  const text = "cancelled: the recording breaks off before this call was answered";
  return {
    callId: id,
    toolName: name,
    isError: true,
    errorType: "cancelled",
    content: [{ type: "text", text }],
    data: {},
    durationMs: 0,
    bytesShown: text.length,
    bytesTotal: null,
    truncated: false,
    isolation: "none",
    seal: "none",
  };
}

/** The Messages API's conversation shapes, as far as the runtime reads or writes them. */

export interface TextBlock {
  type: "text";
  text: string;
}

export interface ImageBlock {
  type: "image";
  source: {
    type: "base64";
    media_type: "image/png" | "image/jpeg" | "image/gif" | "image/webp";
    data: string;
  };
}

/** Kept whole and sent back unchanged, signature included: the API refuses an edited one. */
export interface ThinkingBlock {
  type: "thinking";
  thinking: string;
  signature: string;
}

export interface RedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

export interface ToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
}

export interface ToolResultBlock {
  type: "tool_result";
  tool_use_id: string;
  content: (TextBlock | ImageBlock)[];
  is_error?: boolean;
}

/** A block of a type this version does not know: carried along unchanged, never interpreted. */
export interface UnknownBlock {
  type: string & {};
  [key: string]: unknown;
}

export type AssistantBlock = TextBlock | ThinkingBlock | RedactedThinkingBlock | ToolUseBlock | UnknownBlock;

export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

export interface UserMessage {
  role: "user";
  content: UserBlock[];
}

export interface AssistantMessage {
  role: "assistant";
  content: AssistantBlock[];
}

export type Message = UserMessage | AssistantMessage;

/** Token counts under the API's own names. `input_tokens` leaves out what the cache served. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export const NO_USAGE: Readonly<Usage> = Object.freeze({
  input_tokens: 0,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
});

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
  };
}

/** The answer to a tool use, as it stands in the conversation: the same from a live call and from the log. */
export function toolResultBlock(
  toolUseId: string,
  { content, isError }: { content: (TextBlock | ImageBlock)[]; isError: boolean },
): ToolResultBlock {
  return { type: "tool_result", tool_use_id: toolUseId, content, ...(isError ? { is_error: true } : {}) };
}

export function isToolUse(block: AssistantBlock): block is ToolUseBlock {
  return block.type === "tool_use";
}

export function isText(block: { type: string }): block is TextBlock {
  return block.type === "text";
}

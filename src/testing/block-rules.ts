import type { RequestBlock } from "./double-request.ts";
import { signThinking } from "./sse-events.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,200}$/;
const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/;
const IMAGE_TYPES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** What the API refuses in one content block; undefined when there is nothing. */
export function blockProblem(block: RequestBlock, role: string, at: string): string | undefined {
  switch (block?.type) {
    case undefined:
      return `${at}.type: Field required`;
    case "text":
      return textProblem(block["text"], at);
    case "image":
      return role === "user" ? imageProblem(block, at) : `${at}: \`image\` blocks are not permitted here`;
    case "tool_use":
      return role === "assistant"
        ? toolUseProblem(block, at)
        : `${at}: \`tool_use\` blocks can only be in \`assistant\` messages`;
    case "tool_result":
      return role === "user"
        ? toolResultProblem(block, at)
        : `${at}: \`tool_result\` blocks can only be in \`user\` messages`;
    case "thinking":
    case "redacted_thinking":
      return role === "assistant"
        ? thinkingBlockProblem(block, at)
        : `${at}: \`${block.type}\` blocks can only be in \`assistant\` messages`;
    // Blocks of server tools and of later versions go back as they came.
    default:
      return role === "assistant" ? undefined : `${at}: Input tag '${block.type}' is not expected here`;
  }
}

function textProblem(text: unknown, at: string): string | undefined {
  if (typeof text !== "string") return `${at}.text.text: Field required`;
  if (text === "") return "messages: text content blocks must be non-empty";
  return text.trim() === "" ? "messages: text content blocks must contain non-whitespace text" : undefined;
}

function imageProblem(block: RequestBlock, at: string): string | undefined {
  const source = block["source"] as { type?: unknown; media_type?: unknown; data?: unknown } | undefined;
  if (source === undefined) return `${at}.image.source: Field required`;
  if (source.type !== "base64") return undefined;
  if (!IMAGE_TYPES.has(String(source.media_type))) {
    return `${at}.image.source.base64.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`;
  }
  return typeof source.data === "string" && BASE64.test(source.data)
    ? undefined
    : `${at}.image.source.base64.data: invalid base64 data`;
}

function toolUseProblem(block: RequestBlock, at: string): string | undefined {
  const { id, name, input } = block;
  if (typeof id !== "string" || !TOOL_USE_ID.test(id)) {
    return `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`;
  }
  if (typeof name !== "string" || !TOOL_NAME.test(name)) {
    return `${at}.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,200}$'`;
  }
  return typeof input === "object" && input !== null && !Array.isArray(input)
    ? undefined
    : `${at}.tool_use.input: Input should be a valid dictionary`;
}

function toolResultProblem(block: RequestBlock, at: string): string | undefined {
  if (typeof block["tool_use_id"] !== "string") return `${at}.tool_result.tool_use_id: Field required`;
  const failed = block["is_error"];
  if (failed !== undefined && typeof failed !== "boolean") {
    return `${at}.tool_result.is_error: Input should be a valid boolean`;
  }
  const content = block["content"];
  const empty = content === undefined || content === "" || (Array.isArray(content) && content.length === 0);
  if (failed === true && empty) return `${at}: content cannot be empty if \`is_error\` is true`;
  if (!Array.isArray(content)) return undefined;
  for (const [index, inner] of (content as RequestBlock[]).entries()) {
    const where = `${at}.tool_result.content.${index}`;
    if (inner.type === "image") {
      const problem = imageProblem(inner, where);
      if (problem !== undefined) return problem;
    } else if (inner.type === "text") {
      const problem = textProblem(inner["text"], where);
      if (problem !== undefined) return problem;
    } else {
      return `${where}: Input tag '${String(inner.type)}' does not match any of the expected tags`;
    }
  }
  return undefined;
}

function thinkingBlockProblem(block: RequestBlock, at: string): string | undefined {
  if (block.type === "redacted_thinking") {
    return typeof block["data"] === "string" ? undefined : `${at}.redacted_thinking.data: Field required`;
  }
  const { thinking, signature } = block;
  if (typeof thinking !== "string") return `${at}.thinking.thinking: Field required`;
  if (typeof signature !== "string") return `${at}.thinking.signature: Field required`;
  return signature === signThinking(thinking)
    ? undefined
    : `${at}: Invalid \`signature\` in \`thinking\` block`;
}

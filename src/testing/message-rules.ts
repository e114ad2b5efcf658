import { blockProblem } from "./block-rules.ts";
import type { RequestBlock, RequestMessage } from "./double-request.ts";

/** What the API refuses in the list of messages; undefined when there is nothing. */
export function messageProblem(messages: unknown): string | undefined {
  if (messages === undefined) return "messages: Field required";
  if (!Array.isArray(messages)) return "messages: Input should be a valid list";
  if (messages.length === 0) return "messages: at least one message is required";
  return (
    rolesProblem(messages) ??
    contentProblem(messages) ??
    toolPairProblem(messages) ??
    prefillProblem(messages)
  );
}

function rolesProblem(messages: readonly RequestMessage[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    if (message?.role !== "user" && message?.role !== "assistant") {
      return `messages.${index}.role: Input should be 'user' or 'assistant'`;
    }
    if (index === 0 && message.role !== "user") return 'messages: first message must use the "user" role';
    if (index > 0 && message.role === messages[index - 1]?.role) {
      return `messages: roles must alternate between "user" and "assistant", but found multiple "${message.role}" roles in a row`;
    }
  }
  return undefined;
}

function contentProblem(messages: readonly RequestMessage[]): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    const at = `messages.${index}`;
    if (typeof content === "string") {
      if (content.trim() === "") return `${at}: user messages must have non-empty content`;
      continue;
    }
    if (!Array.isArray(content)) return `${at}.content: Input should be a valid list`;
    if (content.length === 0) return `${at}: all messages must have non-empty content`;
    for (const [place, block] of content.entries()) {
      const problem = blockProblem(block, role, `${at}.content.${place}`);
      if (problem !== undefined) return problem;
    }
  }
  return undefined;
}

/** Every tool_use is answered in the next message, once and at its head; every tool_result answers one. */
function toolPairProblem(messages: readonly RequestMessage[]): string | undefined {
  const seen = new Set<string>();
  for (const [index, message] of messages.entries()) {
    const asked = message.role === "assistant" ? idsOf(message, "tool_use", "id") : [];
    for (const id of asked) {
      if (seen.has(id)) return "messages: `tool_use` ids must be unique";
      seen.add(id);
    }
    const next = messages[index + 1];
    const answered = next?.role === "user" ? idsOf(next, "tool_result", "tool_use_id") : [];
    const missing = asked.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      return `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}`;
    }
    if (message.role !== "user") continue;
    const problem = resultsProblem(message, messages[index - 1], index);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function resultsProblem(
  message: RequestMessage,
  before: RequestMessage | undefined,
  index: number,
): string | undefined {
  const open = new Set(before ? idsOf(before, "tool_use", "id") : []);
  const answered = new Set<string>();
  let othersBegan = false;
  for (const [place, block] of blocksOf(message).entries()) {
    if (block.type !== "tool_result") {
      othersBegan = true;
      continue;
    }
    const id = String(block["tool_use_id"]);
    if (othersBegan) return `messages.${index}.content.${place}: \`tool_result\` blocks must come first`;
    if (answered.has(id)) {
      return `messages.${index}.content.${place}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`;
    }
    if (!open.has(id)) {
      return `messages.${index}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`;
    }
    answered.add(id);
  }
  return undefined;
}

function prefillProblem(messages: readonly RequestMessage[]): string | undefined {
  const last = messages.at(-1);
  if (last?.role !== "assistant") return undefined;
  const end = typeof last.content === "string" ? last.content : last.content.at(-1)?.["text"];
  return typeof end === "string" && end !== end.trimEnd()
    ? "messages: final assistant content cannot end with trailing whitespace"
    : undefined;
}

function idsOf(message: RequestMessage, type: string, field: string): string[] {
  return blocksOf(message)
    .filter((block) => block.type === type)
    .map((block) => String(block[field]));
}

function blocksOf(message: RequestMessage): RequestBlock[] {
  return Array.isArray(message.content) ? message.content : [];
}

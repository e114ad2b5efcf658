import type { RequestBlock, RequestBody } from "./double-request.ts";

/**
 * Remembers which thinking went with which tool use. While a tool call is being answered the API wants that thinking
 * back, whole and unchanged.
 */
export class ThinkingMemory {
  /** Tool use id → thinking blocks of its turn, each as one string. */
  readonly #thinking = new Map<string, string[]>();

  remember(content: readonly RequestBlock[]): void {
    const thinking = content.filter(isThinking).map(fingerprint);
    if (thinking.length === 0) return;
    for (const block of content)
      if (block.type === "tool_use") this.#thinking.set(String(block["id"]), thinking);
  }

  /** What the API would say about the last assistant message; undefined when its thinking is whole. */
  problem(body: RequestBody): string | undefined {
    const index = (body.messages ?? []).findLastIndex((message) => message.role === "assistant");
    const content = body.messages?.[index]?.content;
    if (!Array.isArray(content)) return undefined;
    const present = new Set(content.filter(isThinking).map(fingerprint));
    for (const block of content) {
      if (block.type !== "tool_use") continue;
      const wanted = this.#thinking.get(String(block["id"])) ?? [];
      if (wanted.some((thinking) => !present.has(thinking))) {
        return `messages.${index}.content: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`;
      }
    }
    return undefined;
  }
}

function isThinking(block: RequestBlock): boolean {
  return block.type === "thinking" || block.type === "redacted_thinking";
}

function fingerprint({ type, thinking, signature, data }: RequestBlock): string {
  return JSON.stringify([type, thinking, signature, data]);
}

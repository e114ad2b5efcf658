import { BYTES_PER_TOKEN, tokensOf } from "./prompt-cache.ts";
import type { ReplyBlock, TurnReply } from "./reply.ts";

/** Cuts a turn where the context window is full, as the API does: in the middle of a text, or before another block. */
export function fitTurn(reply: TurnReply, room: number): { fitted: TurnReply; tokens: number } {
  let left = room;
  const content: ReplyBlock[] = [];
  for (const block of reply.content ?? []) {
    const tokens = tokensOf(JSON.stringify(block));
    if (tokens > left) {
      const text = block.type === "text" ? block.text.slice(0, Math.max(0, left) * BYTES_PER_TOKEN) : "";
      if (text !== "") content.push({ type: "text", text });
      return {
        fitted: { ...reply, content, stopReason: "model_context_window_exceeded" },
        tokens: room,
      };
    }
    left -= tokens;
    content.push(block);
  }
  return { fitted: reply, tokens: room - left };
}

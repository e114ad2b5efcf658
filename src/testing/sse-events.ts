import { createHash } from "node:crypto";
import type { Usage } from "../messages.ts";
import type { RequestBlock } from "./double-request.ts";
import type { ReplyBlock, TurnReply } from "./reply.ts";

/** One server-sent event. `raw` is sent as it stands instead. */
export type SseEvent = { event: string; data: Record<string, unknown> } | { raw: string };

export interface MessageHead {
  id: string;
  model: string;
  usage: Usage;
}

const CHUNK_CHARS = 20;
const REDACTED = Buffer.from("redacted by the double").toString("base64");

/** The events of a whole turn, as the API sends them. */
export function turnEvents(reply: TurnReply, head: MessageHead): SseEvent[] {
  const content = reply.content ?? [];
  const usage = { ...head.usage, ...reply.usage };
  const events: SseEvent[] = [
    event("message_start", {
      message: {
        id: head.id,
        type: "message",
        role: "assistant",
        model: head.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    }),
    event("ping", {}),
  ];
  content.forEach((block, index) => {
    // One by one: a large block has more events than a call may have arguments.
    for (const one of blockEvents(block, index, { head, chunkChars: reply.chunkChars ?? CHUNK_CHARS }))
      events.push(one);
  });
  events.push(
    event("message_delta", {
      delta: {
        stop_reason: reply.stopReason === undefined ? defaultStopReason(content) : reply.stopReason,
        stop_sequence: null,
        ...(reply.stopDetails === undefined ? {} : { stop_details: reply.stopDetails }),
      },
      usage,
    }),
    event("message_stop", {}),
  );
  return events;
}

export function eventText(sse: SseEvent): string {
  return "raw" in sse ? sse.raw : `event: ${sse.event}\ndata: ${JSON.stringify(sse.data)}\n\n`;
}

export function event(type: string, fields: Record<string, unknown>): SseEvent {
  return { event: type, data: { type, ...fields } };
}

/** What the double puts under a thinking block. Made from the text alone, so that it can be checked at any time. */
export function signThinking(thinking: string): string {
  return createHash("sha256").update("double").update(thinking).digest("base64");
}

/** The turn as the content of a message, as the client should put it together. */
export function replyContent(reply: TurnReply, head: MessageHead): RequestBlock[] {
  return (reply.content ?? []).map((block, index) => {
    switch (block.type) {
      case "thinking":
        return { ...block, signature: signThinking(block.thinking) };
      case "redacted_thinking":
        return { type: block.type, data: block.data ?? REDACTED };
      case "tool_use":
        return {
          type: block.type,
          id: block.id ?? toolUseId(head, index),
          name: block.name,
          input: block.json ?? block.input ?? {},
        };
      case "other":
        return block.block;
      case "text":
        return block;
    }
  });
}

/** The id the double gives a tool use that has none. */
function toolUseId(head: MessageHead, index: number): string {
  return `toolu_${head.id.slice("msg_".length)}_${index}`;
}

function defaultStopReason(content: readonly ReplyBlock[]): string {
  return content.some((block) => block.type === "tool_use") ? "tool_use" : "end_turn";
}

function blockEvents(
  block: ReplyBlock,
  index: number,
  { head, chunkChars }: { head: MessageHead; chunkChars: number },
): SseEvent[] {
  const delta = (fields: Record<string, unknown>) => event("content_block_delta", { index, delta: fields });
  const whole = (start: Record<string, unknown>, deltas: SseEvent[]) => [
    event("content_block_start", { index, content_block: start }),
    ...deltas,
    event("content_block_stop", { index }),
  ];
  switch (block.type) {
    case "text":
      return whole(
        { type: "text", text: "" },
        chunks(block.text, chunkChars).map((text) => delta({ type: "text_delta", text })),
      );
    case "thinking":
      return whole({ type: "thinking", thinking: "", signature: "" }, [
        ...chunks(block.thinking, chunkChars).map((thinking) => delta({ type: "thinking_delta", thinking })),
        delta({ type: "signature_delta", signature: signThinking(block.thinking) }),
      ]);
    case "redacted_thinking":
      return whole({ type: "redacted_thinking", data: block.data ?? REDACTED }, []);
    case "tool_use": {
      const id = block.id ?? toolUseId(head, index);
      const json = block.json ?? JSON.stringify(block.input ?? {});
      return whole(
        { type: "tool_use", id, name: block.name, input: {} },
        ["", ...chunks(json, chunkChars)].map((partial_json) =>
          delta({ type: "input_json_delta", partial_json }),
        ),
      );
    }
    case "other":
      return whole(block.block, []);
  }
}

/** Cuts between characters, not between the halves of one. */
function chunks(text: string, size: number): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + size, text.length);
    const last = text.charCodeAt(end - 1);
    if (last >= 0xd800 && last <= 0xdbff && end < text.length) end++;
    found.push(text.slice(start, end));
    start = end;
  }
  return found;
}

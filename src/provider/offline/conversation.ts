import type { Message, ToolResultBlock, ToolUseBlock } from "../../messages.ts";
import { isText, isToolUse } from "../../messages.ts";

/** A tool call of the conversation and what came back; no result when nothing has answered it. */
export interface AnsweredCall {
  use: ToolUseBlock;
  result: ToolResultBlock | undefined;
}

/** What the planner knows: it keeps nothing between calls and reads everything off the messages. */
export interface Conversation {
  goal: string;
  /** Calls of each assistant turn that made any, in order. */
  rounds: AnsweredCall[][];
  assistantTurns: number;
}

export function readConversation(messages: readonly Message[]): Conversation {
  const results = new Map<string, ToolResultBlock>();
  const rounds: ToolUseBlock[][] = [];
  let goal: string | undefined;
  let assistantTurns = 0;
  for (const message of messages) {
    if (message.role === "assistant") {
      assistantTurns += 1;
      const uses = message.content.filter(isToolUse);
      if (uses.length > 0) rounds.push(uses);
      continue;
    }
    for (const block of message.content) {
      if (block.type === "tool_result") results.set(block.tool_use_id, block);
    }
    goal ??=
      message.content
        .filter(isText)
        .map((block) => block.text)
        .join("\n") || undefined;
  }
  return {
    goal: goal ?? "",
    rounds: rounds.map((uses) => uses.map((use) => ({ use, result: results.get(use.id) }))),
    assistantTurns,
  };
}

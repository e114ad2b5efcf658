import { type AssistantBlock, isText, isToolUse, type Message } from "../messages.ts";

const ASK = `Your context is nearly full. The messages above will be removed and what you write now will stand in their place. Do not call a tool. Write down everything you need to go on, and nothing else:
- what the goal asks for and what the user added later, word for word where the words matter
- what you have done and found, with paths, line numbers and exact values
- what you decided and why, and what did not work
- what is left to do, in order`;
const HEAD =
  "[Older messages were removed to make room. This is the record that you, the assistant, made of them. It is no instruction.]";
const CALLS_SHOWN_MAX = 100;
const CALL_SHOWN_MAX_CHARS = 200;

/** The same messages, so that the cached prefix serves again, and the request for a summary at their end. */
export function summaryRequest(messages: readonly Message[]): Message[] {
  const last = messages.at(-1);
  const ask = { type: "text" as const, text: ASK };
  if (last?.role !== "user") return [...messages, { role: "user", content: [ask] }];
  return [...messages.slice(0, -1), { role: "user", content: [...last.content, ask] }];
}

/** What stands in the place of the older messages. A model that wrote nothing leaves a list of its calls. */
export function summaryText(answer: string, messages: readonly Message[]): string {
  return `${HEAD}\n\n${answer.trim() || callsOf(messages)}`;
}

function callsOf(messages: readonly Message[]): string {
  const lines = messages.flatMap((message) =>
    message.role === "assistant" ? message.content.flatMap(lineOf) : [],
  );
  return lines.slice(-CALLS_SHOWN_MAX).join("\n") || "(nothing was said or done)";
}

function lineOf(block: AssistantBlock): string[] {
  const line = isText(block)
    ? `said: ${block.text}`
    : isToolUse(block)
      ? `called ${block.name} ${JSON.stringify(block.input)}`
      : undefined;
  return line === undefined ? [] : [line.slice(0, CALL_SHOWN_MAX_CHARS).toWellFormed()];
}

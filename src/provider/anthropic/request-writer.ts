import type { Message } from "../../messages.ts";
import type { ModelRequest, ToolDescription } from "../provider.ts";
import type { AnthropicSettings } from "./anthropic-options.ts";

const MARKER = '"cache_control":{"type":"ephemeral"}';

/**
 * Writes request bodies. Every block is turned into JSON once and its text kept, so that what was sent once is sent
 * again byte for byte, and a long conversation costs each step only what is new in it. Four cache breakpoints at
 * most: the last tool, the system prompt, and the end of the last two user messages (this turn's and the one that
 * the last request has written).
 */
export class RequestWriter {
  readonly #settings: AnthropicSettings;
  readonly #json = new WeakMap<object, string>();

  constructor(settings: AnthropicSettings) {
    this.#settings = settings;
  }

  write(request: ModelRequest): string {
    const { model, thinking, effort } = this.#settings;
    const head = JSON.stringify({
      model,
      max_tokens: request.maxTokens,
      stream: true,
      ...(thinking === undefined ? {} : { thinking: thinkingField(thinking) }),
      ...(effort === undefined ? {} : { output_config: { effort } }),
    });
    const tools = request.tools.length > 0 ? `,"tools":${this.#tools(request.tools)}` : "";
    const system = request.system === "" ? "" : `,"system":[${withMarker(systemBlock(request.system))}]`;
    return `${head.slice(0, -1)}${tools}${system},"messages":${this.#messages(request.messages)}}`;
  }

  #tools(tools: readonly ToolDescription[]): string {
    return bracketed(tools.map((tool, index) => markedIf(index === tools.length - 1, this.#text(tool))));
  }

  #messages(messages: readonly Message[]): string {
    const marked = lastTwoUserMessages(messages);
    return bracketed(
      messages.map(({ role, content }, index) => {
        const blocks = content.map((block, place) =>
          markedIf(marked.has(index) && place === content.length - 1, this.#text(block)),
        );
        return `{"role":"${role}","content":${bracketed(blocks)}}`;
      }),
    );
  }

  /** By block and not by message: messages grow, blocks stay as they are. */
  #text(value: object): string {
    const known = this.#json.get(value);
    if (known !== undefined) return known;
    const text = JSON.stringify(value);
    this.#json.set(value, text);
    return text;
  }
}

function lastTwoUserMessages(messages: readonly Message[]): Set<number> {
  const found = new Set<number>();
  for (let index = messages.length - 1; index >= 0 && found.size < 2; index--) {
    if (messages[index]?.role === "user") found.add(index);
  }
  return found;
}

function thinkingField(thinking: NonNullable<AnthropicSettings["thinking"]>): object {
  if (thinking === "off") return { type: "disabled" };
  return thinking === "adaptive" ? { type: "adaptive" } : { type: "enabled", budget_tokens: thinking };
}

function systemBlock(text: string): string {
  return JSON.stringify({ type: "text", text });
}

function markedIf(marked: boolean, json: string): string {
  return marked ? withMarker(json) : json;
}

function withMarker(json: string): string {
  return `${json.slice(0, -1)},${MARKER}}`;
}

function bracketed(parts: readonly string[]): string {
  return `[${parts.join(",")}]`;
}

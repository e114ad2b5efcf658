import type { AssistantBlock, Message, UserBlock, Usage } from "../messages.ts";

/** Before the first response says what text really costs: rather too much than too little. */
const FIRST_BYTES_PER_TOKEN = 3;
const BYTES_PER_TOKEN = { least: 1.5, most: 5 };
/** Field names and the like, for each block. */
const BLOCK_BYTES = 24;
/** An image costs by its size in pixels, about 1,600 tokens at most, and not by its bytes. */
const IMAGE_BYTES = 6_400;

/**
 * Estimates what a request costs in tokens: what the last response said about its own request, and by the same
 * measure what has been added and taken away since.
 */
export class TokenMeter {
  readonly #fixedBytes: number;
  readonly #sizes = new WeakMap<Message, number>();
  #bytesPerToken = FIRST_BYTES_PER_TOKEN;
  #known: { tokens: number; bytes: number };

  /** `fixed`: what every request holds besides its messages. */
  constructor(fixed: readonly string[]) {
    this.#fixedBytes = fixed.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    this.#known = { tokens: this.#fixedBytes / FIRST_BYTES_PER_TOKEN, bytes: 0 };
  }

  /** Bytes that count, of messages that are never changed. */
  bytes(messages: readonly Message[]): number {
    let sum = 0;
    for (const message of messages) sum += this.#bytesOf(message);
    return sum;
  }

  tokens(messages: readonly Message[]): number {
    return Math.ceil(this.#known.tokens + (this.bytes(messages) - this.#known.bytes) / this.#bytesPerToken);
  }

  /** As the last response has shown it. */
  get bytesPerToken(): number {
    return this.#bytesPerToken;
  }

  tokensOfBytes(bytes: number): number {
    return Math.ceil(bytes / this.#bytesPerToken);
  }

  /** A request whose messages had so many bytes has cost this. Servers that do not count say 0. */
  learn(bytes: number, usage: Usage): void {
    const tokens = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens;
    if (tokens === 0) return;
    const measured = (bytes + this.#fixedBytes) / tokens;
    this.#bytesPerToken = Math.min(Math.max(measured, BYTES_PER_TOKEN.least), BYTES_PER_TOKEN.most);
    this.#known = { tokens, bytes };
  }

  #bytesOf(message: Message): number {
    const known = this.#sizes.get(message);
    if (known !== undefined) return known;
    const bytes = message.content.reduce((sum, block) => sum + blockBytes(block), 0);
    this.#sizes.set(message, bytes);
    return bytes;
  }
}

export function blockBytes(block: AssistantBlock | UserBlock): number {
  if (block.type === "image") return IMAGE_BYTES;
  if (block.type === "text" && "text" in block) return BLOCK_BYTES + Buffer.byteLength(String(block.text));
  if (block.type !== "tool_result") return Buffer.byteLength(JSON.stringify(block));
  const content = (block as { content: UserBlock[] }).content;
  return content.reduce((sum, inner) => sum + blockBytes(inner), BLOCK_BYTES);
}

import { createHash } from "node:crypto";
import type { Usage } from "../messages.ts";
import type { RequestBlock, RequestBody } from "./double-request.ts";

/** How many blocks before a breakpoint the API looks for an earlier entry. */
const LOOK_BACK_BLOCKS = 20;
export const BYTES_PER_TOKEN = 4;

/**
 * Counts input tokens as the API does. Each breakpoint writes an entry for the whole prefix up to it; a later request
 * reads the longest entry found at a breakpoint or in the 20 blocks before one. The markers themselves are no part of
 * the prefix.
 */
export class PromptCache {
  /** Hash of a prefix → its tokens. */
  readonly #entries = new Map<string, number>();
  readonly #minTokens: number;

  constructor(minTokens: number) {
    this.#minTokens = minTokens;
  }

  count(body: RequestBody): Usage {
    const prefixes = prefixesOf(body);
    const total = prefixes.at(-1)?.tokens ?? 0;
    const marked = prefixes.flatMap((prefix, at) => (prefix.marked ? [at] : []));
    const read = this.#longestHit(prefixes, marked);
    let written = read;
    for (const at of marked) {
      const prefix = prefixes[at];
      if (!prefix || prefix.tokens < this.#minTokens) continue;
      this.#entries.set(prefix.hash, prefix.tokens);
      written = Math.max(written, prefix.tokens);
    }
    return {
      input_tokens: total - written,
      output_tokens: 0,
      cache_read_input_tokens: read,
      cache_creation_input_tokens: written - read,
    };
  }

  #longestHit(prefixes: readonly Prefix[], marked: readonly number[]): number {
    for (const breakpoint of marked.toReversed()) {
      for (let at = breakpoint; at >= 0 && at > breakpoint - LOOK_BACK_BLOCKS; at--) {
        const tokens = this.#entries.get(prefixes[at]?.hash ?? "");
        if (tokens !== undefined) return tokens;
      }
    }
    return 0;
  }
}

/** All input of a request in tokens, by rule of thumb. */
export function inputTokens(body: RequestBody): number {
  return prefixesOf(body).at(-1)?.tokens ?? 0;
}

export function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

interface Prefix {
  hash: string;
  tokens: number;
  marked: boolean;
}

/** The prefix that ends with each block, in the order in which the API reads them: tools, system, messages. */
function prefixesOf(body: RequestBody): Prefix[] {
  const prefixes: Prefix[] = [];
  let hash = String(body.model);
  let tokens = 0;
  const add = (place: string, block: RequestBlock) => {
    const text = JSON.stringify(block, (key, value: unknown) =>
      key === "cache_control" ? undefined : value,
    );
    hash = createHash("sha256").update(hash).update(place).update(text).digest("hex");
    tokens += tokensOf(text);
    prefixes.push({ hash, tokens, marked: hasMarker(block) });
  };
  for (const tool of body.tools ?? []) add("tool", tool);
  for (const block of blocksOf(body.system)) add("system", block);
  (body.messages ?? []).forEach((message, at) => {
    for (const block of blocksOf(message.content)) add(`${at} ${message.role}`, block);
  });
  return prefixes;
}

function hasMarker(block: RequestBlock): boolean {
  if (block["cache_control"] != null) return true;
  return Array.isArray(block["content"]) && block["content"].some(hasMarker);
}

function blocksOf(content: string | RequestBlock[] | undefined): RequestBlock[] {
  if (content === undefined) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

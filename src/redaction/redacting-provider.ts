import { type AssistantBlock, isToolUse, type Message } from "../messages.ts";
import type { ModelRequest, ModelResponse, Provider, StreamSink } from "../provider/provider.ts";
import type { Redactor } from "./redactor.ts";

/** A provider that is told no secret and tells none. */
export class RedactingProvider implements Provider {
  readonly name: string;
  readonly model: string;
  readonly contextWindow?: number;
  readonly #inner: Provider;
  readonly #redactor: Redactor;
  /** Messages are never changed, so each is searched once; what was sent stays the same object. */
  readonly #messages = new WeakMap<Message, Message>();

  constructor(inner: Provider, redactor: Redactor) {
    this.name = inner.name;
    this.model = inner.model;
    if (inner.contextWindow !== undefined) this.contextWindow = inner.contextWindow;
    this.#inner = inner;
    this.#redactor = redactor;
  }

  warmUp(): void {
    this.#inner.warmUp?.();
  }

  async stream(request: ModelRequest, sink: StreamSink, signal: AbortSignal): Promise<ModelResponse> {
    const messages = request.messages.map((message) => this.#message(message));
    const redacting = new RedactingSink(sink, this.#redactor);
    const response = await this.#inner.stream({ ...request, messages }, redacting, signal);
    redacting.flush();
    return redactResponse(response, this.#redactor);
  }

  #message(message: Message): Message {
    const known = this.#messages.get(message);
    if (known) return known;
    const content = message.content.map((block) => redactBlock(block as AssistantBlock, this.#redactor));
    const same = content.every((block, at) => block === message.content[at]);
    const clean = same ? message : ({ ...message, content } as Message);
    this.#messages.set(message, clean);
    return clean;
  }
}

class RedactingSink implements StreamSink {
  readonly #sink: StreamSink;
  readonly #text: ReturnType<Redactor["stream"]>;
  readonly #thinking: ReturnType<Redactor["stream"]>;
  readonly #redactor: Redactor;

  constructor(sink: StreamSink, redactor: Redactor) {
    this.#sink = sink;
    this.#redactor = redactor;
    this.#text = redactor.stream();
    this.#thinking = redactor.stream();
  }

  onText(text: string): void {
    const clean = this.#text.push(text);
    if (clean !== "") this.#sink.onText(clean);
  }

  onThinking(text: string): void {
    const clean = this.#thinking.push(text);
    if (clean !== "") this.#sink.onThinking(clean);
  }

  /** What is held back was never shown and is void with the rest. */
  onWithdrawn(reason: string): void {
    this.#text.flush();
    this.#thinking.flush();
    this.#sink.onWithdrawn(this.#redactor.text(reason));
  }

  onRetry(notice: Parameters<StreamSink["onRetry"]>[0]): void {
    this.#sink.onRetry(this.#redactor.value(notice));
  }

  flush(): void {
    const thinking = this.#thinking.flush();
    if (thinking !== "") this.#sink.onThinking(thinking);
    const text = this.#text.flush();
    if (text !== "") this.#sink.onText(text);
  }
}

/**
 * Thinking is signed and can't be sent back altered, so thinking that holds a secret is dropped; and since the API
 * wants thinking back beside the tool uses that followed from it, those are dropped as if the token limit had cut
 * them off: the model is asked to make them again.
 */
function redactResponse(response: ModelResponse, redactor: Redactor): ModelResponse {
  const dirty = (block: AssistantBlock): boolean =>
    block.type === "thinking" && "thinking" in block && redactor.value(block.thinking) !== block.thinking;
  const kept = response.content.filter((block) => !dirty(block));
  const content = kept.map((block) => redactBlock(block, redactor));
  const rest = response.stopDetails === undefined ? {} : { stopDetails: redactor.text(response.stopDetails) };
  const uses = content.filter(isToolUse).length;
  if (kept.length === response.content.length || uses === 0) return { ...response, ...rest, content };
  const cutToolUses = response.cutToolUses + uses;
  const texts = content.filter((block) => block.type === "text");
  return { ...response, ...rest, content: texts, cutToolUses, stopReason: "max_tokens" };
}

function redactBlock(block: AssistantBlock, redactor: Redactor): AssistantBlock {
  switch (block.type) {
    case "thinking":
    case "redacted_thinking":
      redactor.trust(block);
      return block;
    case "tool_use":
      return redactToolUse(block, redactor);
    default:
      return redactor.value(block);
  }
}

/** The name has to stay one that the API takes back. */
function redactToolUse(block: AssistantBlock, redactor: Redactor): AssistantBlock {
  if (!isToolUse(block)) return block;
  const input = redactor.value(block.input);
  const name = redactor.text(block.name) === block.name ? block.name : "redacted";
  const clean = input === block.input && name === block.name ? block : { ...block, input, name };
  redactor.trust(clean);
  return clean;
}

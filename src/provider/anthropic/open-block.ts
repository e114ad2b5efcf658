import type { AssistantBlock } from "../../messages.ts";

/** How a block ended. `empty` is text of nothing but white space, which the API refuses when it is sent back. */
export type BlockEnd =
  | { kind: "whole"; block: AssistantBlock }
  | { kind: "cut" }
  | { kind: "empty" }
  | { kind: "malformed"; why: string }
  | { kind: "broken"; why: string };

/** The API refuses a conversation in which a tool use has another name: such a run could never go on. */
const NAME = /^[a-zA-Z0-9_-]{1,200}$/;
/** The API's own ids are letters and digits; servers that speak its protocol have others, but none with control characters. */
const ID = /^[\x21-\x7e]{1,256}$/;

interface BlockStart {
  type: string;
  [key: string]: unknown;
}

/** A block while it is streamed. */
export class OpenBlock {
  readonly #start: BlockStart;
  #text = "";
  #signature = "";
  #json = "";
  #closed = false;

  constructor(start: BlockStart) {
    this.#start = start;
    this.#text = textOf(start.type === "thinking" ? start["thinking"] : start["text"]);
    this.#signature = textOf(start["signature"]);
  }

  get type(): string {
    return this.#start.type;
  }

  /** Deltas of a type that is not known change nothing. */
  add(delta: { type?: string; [key: string]: unknown }): void {
    switch (delta.type) {
      case "text_delta":
        this.#text += textOf(delta["text"]);
        break;
      case "thinking_delta":
        this.#text += textOf(delta["thinking"]);
        break;
      case "signature_delta":
        this.#signature += textOf(delta["signature"]);
        break;
      case "input_json_delta":
        this.#json += textOf(delta["partial_json"]);
        break;
      default:
        break;
    }
  }

  close(): void {
    this.#closed = true;
  }

  /** @param mayBeCut whether the response's stop reason is one that ends it in the middle of a block. */
  finish(mayBeCut: boolean): BlockEnd {
    if (!this.#closed && !mayBeCut) return { kind: "broken", why: `a ${this.type} block never ended` };
    switch (this.type) {
      case "text":
        return this.#text.trim() === ""
          ? { kind: "empty" }
          : { kind: "whole", block: { ...this.#start, type: "text", text: this.#text } };
      case "thinking":
        return this.#finishThinking(mayBeCut);
      case "tool_use":
        return this.#finishToolUse(mayBeCut);
      default:
        return this.#finishUnknown(mayBeCut);
    }
  }

  /** Thinking that was cut has no signature, and without one the API does not take it back. */
  #finishThinking(mayBeCut: boolean): BlockEnd {
    if (this.#signature === "" && mayBeCut) return { kind: "cut" };
    const block = { ...this.#start, type: "thinking", thinking: this.#text, signature: this.#signature };
    return { kind: "whole", block };
  }

  #finishToolUse(mayBeCut: boolean): BlockEnd {
    const { id, name } = this.#start;
    if (typeof id !== "string" || id === "" || typeof name !== "string" || name === "") {
      return { kind: "malformed", why: "a tool use has no id or no name" };
    }
    const unsendable = NAME.test(name) ? !ID.test(id) && "an id" : "a name";
    if (unsendable) {
      return { kind: "malformed", why: `a tool use has ${unsendable} that could not be sent back` };
    }
    // Cut before its first letter, the input looks like that of a tool that takes none.
    if (mayBeCut && (this.#json === "" || !this.#closed)) return { kind: "cut" };
    const input = this.#input();
    if (input === undefined) {
      return mayBeCut
        ? { kind: "cut" }
        : { kind: "malformed", why: `the input of ${name} is no JSON object` };
    }
    return { kind: "whole", block: { ...this.#start, type: "tool_use", input } };
  }

  /** Unchanged, but for an input that came in pieces. */
  #finishUnknown(mayBeCut: boolean): BlockEnd {
    if (this.#json === "") return { kind: "whole", block: this.#start };
    const input = this.#input();
    if (input !== undefined) return { kind: "whole", block: { ...this.#start, input } };
    return mayBeCut
      ? { kind: "cut" }
      : { kind: "malformed", why: `the input of ${this.type} is no JSON object` };
  }

  #input(): object | undefined {
    if (this.#json === "") return asObject(this.#start["input"] ?? {});
    try {
      return asObject(JSON.parse(this.#json));
    } catch {
      return undefined;
    }
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function asObject(value: unknown): object | undefined {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined;
}

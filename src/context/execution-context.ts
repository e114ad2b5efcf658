import { RuiZNError } from "../errors.ts";
import type { ClearedResult } from "./clear-plan.ts";
import {
  addUsage,
  type AssistantBlock,
  isText,
  isToolUse,
  type Message,
  NO_USAGE,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  type Usage,
} from "../messages.ts";
import type { RunStatus } from "../events/run-event.ts";

/**
 * What a run knows: goal, step, messages, usage. It keeps the Messages API's rules by construction: roles alternate,
 * every tool_use is answered exactly once, all answers of a turn stand in one user message in call order, and what
 * the model said is kept unchanged, thinking signatures included.
 */
export class ExecutionContext {
  readonly goal: string;
  readonly runId: string;
  #step = 0;
  #status: RunStatus | "running" = "running";
  readonly #messages: Message[] = [];
  #summary: TextBlock | undefined;
  #usage: Usage = { ...NO_USAGE };

  constructor(options: { goal: string; runId: string }) {
    if (options.goal.trim() === "") throw new RuiZNError("input_invalid", "the goal is empty");
    this.goal = options.goal;
    this.runId = options.runId;
    this.#messages.push({ role: "user", content: [{ type: "text", text: options.goal }] });
  }

  get step(): number {
    return this.#step;
  }

  get status(): RunStatus | "running" {
    return this.#status;
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  /** Of the whole run so far. */
  get usage(): Usage {
    return this.#usage;
  }

  beginStep(): number {
    return ++this.#step;
  }

  finish(status: RunStatus): void {
    this.#status = status;
  }

  /**
   * Takes a model response. Text blocks without a visible character are left out (the API refuses them in a request); a response without
   * any block leaves the messages as they are.
   * @returns the tool uses that now wait for an answer, in call order.
   */
  addResponse(content: readonly AssistantBlock[], usage: Usage): ToolUseBlock[] {
    this.#usage = addUsage(this.#usage, usage);
    const open = this.openToolUses();
    if (open.length > 0) throw new RuiZNError("internal", `${open.length} tool uses are not answered yet`);
    const blocks = content.filter((block) => !isText(block) || block.text.trim() !== "");
    if (blocks.length === 0) return [];
    const last = this.#messages.at(-1);
    if (last?.role === "assistant") {
      this.#replaceLast({ role: "assistant", content: [...last.content, ...blocks] });
    } else {
      this.#messages.push({ role: "assistant", content: blocks });
    }
    return this.openToolUses();
  }

  /** Answers every open tool use at once. Results may come in any order; a missing, foreign or double one throws. */
  addToolResults(results: readonly ToolResultBlock[]): void {
    const byId = new Map(results.map((result) => [result.tool_use_id, result]));
    const open = this.openToolUses();
    const content = open.map((use) => {
      const result = byId.get(use.id);
      if (!result) throw new RuiZNError("internal", `tool use ${use.id} has no result`);
      return result;
    });
    if (content.length === 0 || byId.size !== content.length || results.length !== content.length) {
      throw new RuiZNError("internal", `${results.length} tool results for ${open.length} tool uses`);
    }
    this.#messages.push({ role: "user", content });
  }

  /** Says something to the model after its turn: a correction or a request to go on. */
  addUserText(text: string): void {
    if (this.openToolUses().length > 0)
      throw new RuiZNError("internal", "tool uses wait for an answer first");
    const last = this.#messages.at(-1);
    const block = { type: "text" as const, text };
    if (last?.role === "user") this.#replaceLast({ role: "user", content: [...last.content, block] });
    else this.#messages.push({ role: "user", content: [block] });
  }

  /** Puts a note in the place of each of these tool results, which still answers its tool use. */
  clearToolResults(cleared: readonly ClearedResult[]): void {
    const notes = new Map(cleared.map(({ call_id, note }) => [call_id, note]));
    for (const [at, message] of this.#messages.entries()) {
      if (message.role !== "user") continue;
      const content = message.content.map((block) => {
        const note = block.type === "tool_result" ? notes.get(block.tool_use_id) : undefined;
        if (note === undefined || block.type !== "tool_result") return block;
        notes.delete(block.tool_use_id);
        return { ...block, content: [{ type: "text" as const, text: note }] };
      });
      if (content.some((block, place) => block !== message.content[place])) {
        this.#messages[at] = { role: "user", content };
      }
    }
    const [missing] = notes.keys();
    if (missing !== undefined) throw new RuiZNError("internal", `there is no result ${missing} to clear`);
  }

  /**
   * Puts a summary in the place of the oldest messages after the first, so many of them; it stands behind the goal, in
   * the place of an earlier summary. What follows must begin with a turn of the model.
   */
  summarise({ messages, text, usage }: { messages: number; text: string; usage: Usage }): void {
    const [first, next] = [this.#messages[0], this.#messages[messages + 1]];
    if (first?.role !== "user" || next?.role !== "assistant" || messages < 1) {
      throw new RuiZNError("internal", `${messages} messages can't be summarised here`);
    }
    this.#usage = addUsage(this.#usage, usage);
    const kept = first.content.filter((block) => block !== this.#summary);
    this.#summary = { type: "text", text };
    this.#messages.splice(0, messages + 1, { role: "user", content: [...kept, this.#summary] });
  }

  /** A message is never changed, so that what was derived from it (its JSON, its size) can be kept by identity. */
  #replaceLast(message: Message): void {
    this.#messages[this.#messages.length - 1] = message;
  }

  /** Tool uses of the last assistant message, when nothing has answered them. */
  openToolUses(): ToolUseBlock[] {
    const last = this.#messages.at(-1);
    return last?.role === "assistant" ? last.content.filter(isToolUse) : [];
  }
}

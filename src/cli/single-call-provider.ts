import { NO_USAGE, type ToolUseBlock } from "../messages.ts";
import type { ModelRequest, ModelResponse, Provider } from "../provider/provider.ts";

/** Asks for one tool call and then says that it is done: how a tool is called without a model. */
export class SingleCallProvider implements Provider {
  readonly name = "none";
  readonly model = "none";
  readonly contextWindow = Number.POSITIVE_INFINITY;
  readonly #call: ToolUseBlock;

  constructor(call: { name: string; input: unknown }) {
    this.#call = { type: "tool_use", id: "call_1", ...call };
  }

  stream(request: ModelRequest): Promise<ModelResponse> {
    const asked = request.messages.length > 1;
    return Promise.resolve({
      id: asked ? "done" : "call",
      model: this.model,
      content: asked ? [{ type: "text", text: "done" }] : [this.#call],
      stopReason: asked ? "end_turn" : "tool_use",
      cutToolUses: 0,
      usage: { ...NO_USAGE },
      timeToFirstTokenMs: 0,
    });
  }
}

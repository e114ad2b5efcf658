// A provider of one's own: here a rule instead of a model. It asks for a file, and answers with its first line.
import { AgentRunner, NO_USAGE, readTools } from "ruizn";

const firstLine = {
  name: "first-line",
  model: "a-rule",
  async stream({ messages }, sink) {
    const result = messages.at(-1).content.find(({ type }) => type === "tool_result");
    const content = result
      ? [{ type: "text", text: result.content[0].text.split("\n")[0] }]
      : [{ type: "tool_use", id: "toolu_1", name: "read_file", input: { path: "README.md" } }];
    for (const block of content) if (block.type === "text") sink.onText(block.text);
    const stopReason = result ? "end_turn" : "tool_use";
    return { id: "msg_1", model: "a-rule", content, stopReason, cutToolUses: 0, usage: NO_USAGE };
  },
};

const { result } = await new AgentRunner({
  goal: "What is the first line of README.md?",
  workspace: process.cwd(),
  provider: firstLine,
  tools: readTools(),
  policy: { decide: () => ({ allowed: true }) },
  seal: "try",
  log: false,
}).run();
console.log(result);

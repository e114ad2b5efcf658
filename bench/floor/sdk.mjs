// The floor: what the same run costs as a script on the official SDK, with one tool inline. No sandbox, no log, no
// checks, no policy. bench/startup.mjs bundles this file before it measures it.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";

const tools = [
  {
    name: "read_file",
    description: "Read a UTF-8 text file.",
    input_schema: {
      type: "object",
      properties: { path: { type: "string" } },
      required: ["path"],
      additionalProperties: false,
    },
  },
];

const client = new Anthropic();
const messages = [{ role: "user", content: process.argv[2] }];
for (let step = 0; step < 100; step += 1) {
  const stream = client.messages.stream({
    model: process.env.ANTHROPIC_MODEL,
    max_tokens: 1_024,
    tools,
    messages,
  });
  stream.on("text", (text) => process.stdout.write(text));
  const message = await stream.finalMessage();
  messages.push({ role: "assistant", content: message.content });
  if (message.stop_reason !== "tool_use") break;
  const calls = message.content.filter((block) => block.type === "tool_use");
  messages.push({
    role: "user",
    content: calls.map((call) => ({
      type: "tool_result",
      tool_use_id: call.id,
      content: readFileSync(call.input.path, "utf8"),
    })),
  });
}
process.stdout.write("\n");

// A server that costs little: counts the bytes of a request, and answers with a tool use until the last step. It does not
// look into what it is sent but for its end, where a summary is asked for. The double does that in the test.
import { createServer } from "node:http";

const BYTES_PER_TOKEN = 4;
const steps = Number(process.argv[2]);
let step = 0;

const sse = (type, fields) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;

function reply(block, stopReason, bytes) {
  const usage = { input_tokens: Math.ceil(bytes / BYTES_PER_TOKEN), output_tokens: 50 };
  const start = block.type === "text" ? { ...block, text: "" } : { ...block, input: {} };
  const delta =
    block.type === "text"
      ? { type: "text_delta", text: block.text }
      : { type: "input_json_delta", partial_json: JSON.stringify(block.input) };
  return [
    sse("message_start", {
      message: { id: "m", type: "message", role: "assistant", model: "m", content: [], usage },
    }),
    sse("content_block_start", { index: 0, content_block: start }),
    sse("content_block_delta", { index: 0, delta }),
    sse("content_block_stop", { index: 0 }),
    sse("message_delta", { delta: { stop_reason: stopReason }, usage }),
    sse("message_stop", {}),
  ].join("");
}

const server = createServer((request, response) => {
  let bytes = 0;
  let end = Buffer.alloc(0);
  request.on("data", (chunk) => {
    bytes += chunk.length;
    end = Buffer.concat([end.subarray(-2_000), chunk.subarray(-2_000)]);
  });
  request.on("end", () => {
    const summary = end.includes("Your context is nearly full");
    process.send({ bytes, tokens: Math.ceil(bytes / BYTES_PER_TOKEN), summary });
    response.writeHead(200, { "content-type": "text/event-stream" });
    if (summary) return response.end(reply({ type: "text", text: "Read on." }, "end_turn", bytes));
    step += 1;
    if (step > steps) return response.end(reply({ type: "text", text: "Done." }, "end_turn", bytes));
    const use = { type: "tool_use", id: `t${step}`, name: "read_file", input: { path: `${step % 3}.txt` } };
    return response.end(reply(use, "tool_use", bytes));
  });
});
server.listen(0, "127.0.0.1", () => process.send({ url: `http://127.0.0.1:${server.address().port}` }));
process.on("disconnect", () => process.exit(0));

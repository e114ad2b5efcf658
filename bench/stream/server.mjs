// The double in a process of its own: one turn of so many deltas, as text or as the input of a tool. The model's name
// says which, so that every client is given the same.
import { startMessagesDouble, turn } from "../../dist/src/testing.js";

const CHUNK = "token ";

const script = ({ body }) => {
  const [kind, count] = body.model.split("-");
  const text = CHUNK.repeat(Number(count));
  const block =
    kind === "text" ? { type: "text", text } : { type: "tool_use", name: "write", input: { text } };
  return turn([block], { chunkChars: CHUNK.length });
};

const double = await startMessagesDouble({ script, contextWindow: 100_000_000 });
process.send({ url: double.url });
process.on("disconnect", () => void double.close());

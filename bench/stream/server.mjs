// The double in a process of its own: one turn of so many deltas, as text or as the input of a tool. The model's name
// says which, so that every client is given the same. Who comes back with the tool's result is told that it is done.
import { startMessagesDouble, text, turn } from "../../dist/src/testing.js";

const CHUNK = "token ";

const script = ({ body }) => {
  const [kind, count] = body.model.split("-");
  if (body.messages.length > 1) return text("Done.");
  const value = CHUNK.repeat(Number(count));
  const block =
    kind === "text"
      ? { type: "text", text: value }
      : { type: "tool_use", name: "read_file", input: { path: value } };
  return turn([block], { chunkChars: CHUNK.length });
};

const double = await startMessagesDouble({ script, contextWindow: 100_000_000 });
process.send({ url: double.url });
process.on("disconnect", () => void double.close());

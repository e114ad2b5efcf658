// The Messages API double in a process of its own, so that its work is not counted with the client's. Asks for README.md
// to be read, then answers. Tells its parent of every request: when it was there, and whether the file was in it.
import { startMessagesDouble, text, toolUse } from "../../dist/src/testing.js";
import { ANSWER, MARKER } from "./task.mjs";

const script = (request) => {
  const at = performance.timeOrigin + request.at;
  const hasFile = request.raw.includes(MARKER);
  process.send({ at, bytes: request.raw.length, hasFile });
  const answered = JSON.stringify(request.body.messages).includes('"tool_result"');
  return answered ? text(ANSWER) : toolUse("read_file", { path: "README.md" });
};

const double = await startMessagesDouble({ script });
process.send({ url: double.url });
process.on("disconnect", () => void double.close());

// The Messages API double in a process of its own, so that its work is not counted with the client's. Asks for one file
// after the other to be read (README.md, or so many: `node double-process.mjs CALLS THINK_MS`), then answers. Tells its
// parent of every request: when its head was there, when the reply before it was out, and whether a file was in it.
import { channel } from "node:diagnostics_channel";
import { startMessagesDouble, text, toolUse } from "../../dist/src/testing.js";
import { ANSWER, fileName, MARKER } from "./task.mjs";

const [calls, thinkMs] = process.argv.slice(2).map(Number);
const now = () => performance.timeOrigin + performance.now();
let arrivedAt;
let repliedAt;
channel("http.server.request.start").subscribe(() => (arrivedAt = now()));
channel("http.server.response.finish").subscribe(() => (repliedAt = now()));

const script = (request) => {
  const { messages } = request.body;
  process.send({
    at: arrivedAt,
    repliedAt,
    bytes: request.raw.length,
    hasFile: request.raw.includes(MARKER),
  });
  const called = messages.filter(({ role }) => role === "assistant").length;
  if (called < calls) return toolUse("read_file", { path: fileName(called) });
  return text(ANSWER, { headerDelayMs: thinkMs });
};

const double = await startMessagesDouble({ script, contextWindow: 10_000_000 });
process.send({ url: double.url });
process.on("disconnect", () => void double.close());

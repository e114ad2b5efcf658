// Doubles of the Messages API in a process of their own, so that a kill of the client leaves them alone. Each answers
// from the conversation alone: the same request gets the same answer, however often and by whomever it is made.
import { startMessagesDouble, turn } from "../../dist/src/testing.js";
import { LAST_STEP, scriptedTurn } from "./thirty-steps.mjs";

const doubles = new Map();

const script = ({ body }) => {
  const said = body.messages.filter(({ role }) => role === "assistant").length;
  const { content, ...more } = scriptedTurn(said + 1);
  return turn(content, { chunkChars: 60, ...more });
};

process.on("message", (message) => void answer(message));
process.on("disconnect", () => process.exit(0));

async function answer({ start, stop }) {
  if (start !== undefined) {
    const double = await startMessagesDouble({ script, contextWindow: 10_000_000 });
    doubles.set(start, double);
    process.send({ id: start, url: double.url });
  }
  if (stop !== undefined) {
    const double = doubles.get(stop);
    doubles.delete(stop);
    const { requests } = double;
    const refused = requests.filter((request) => request.refused).map((request) => request.refused.message);
    const longest = Math.max(0, ...requests.map(({ body }) => body.messages?.length ?? 0));
    await double.close();
    process.send({ id: stop, requests: requests.length, refused, whole: longest === 2 * LAST_STEP - 1 });
  }
}

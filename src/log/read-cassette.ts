import { RuiZNError } from "../errors.ts";
import { eventsOf, readEvents } from "../events/event-reader.ts";
import type {
  ContextSummarisedEvent,
  RunFinishedEvent,
  RunStartedEvent,
  ToolCallFinishedEvent,
} from "../events/run-event.ts";
import type { Message } from "../messages.ts";
import type { RecordedExchange } from "../provider/replay/replay-provider.ts";
import { rebuild } from "./rebuild.ts";
import { recordedResponse } from "./recorded-response.ts";

/** What a log holds of a run that is to be run again. */
export interface Cassette {
  started: RunStartedEvent;
  finished: RunFinishedEvent | undefined;
  /** Requests that have a whole response, in order. */
  exchanges: RecordedExchange[];
  /** By call id. */
  answers: Map<string, ToolCallFinishedEvent>;
  /** Tools that were called and may have written. */
  writers: Set<string>;
}

/** @throws RuiZNError input_invalid when the log can't be read, does not fit together or holds no response */
export function readCassette(runPath: string): Cassette {
  const exchanges: RecordedExchange[] = [];
  const answers = new Map<string, ToolCallFinishedEvent>();
  const writers = new Set<string>();
  let asked: Message[] = [];
  const { started, finished } = rebuild(eventsOf(readEvents(runPath)), ({ event }, context) => {
    // A request that broke off is made again: the last one before a response is the one it answers.
    if (event.type === "llm.request") asked = [...context.messages];
    if (event.type === "llm.response") exchanges.push({ messages: asked, response: recordedResponse(event) });
    if (event.type === "context.summarised") exchanges.push(summaryExchange(event));
    if (event.type === "tool_call.started" && event.read_only !== true) writers.add(event.name);
    if (event.type === "tool_call.finished" && event.superseded !== true) answers.set(event.call_id, event);
  });
  if (exchanges.length > 0) return { started, finished, exchanges, answers, writers };
  throw new RuiZNError(
    "input_invalid",
    `${runPath}: the log holds no response of a model, so nothing can be replayed`,
  );
}

/** The model was asked for it between two steps. A first paragraph of the runtime's own stands before its words. */
function summaryExchange({ text, model, usage }: ContextSummarisedEvent): RecordedExchange {
  const words = text.slice(text.indexOf("\n\n") + 2);
  const content = [{ type: "text" as const, text: words }];
  const response = {
    id: "summary",
    model,
    content,
    stopReason: "end_turn",
    cutToolUses: 0,
    usage,
    timeToFirstTokenMs: 0,
  };
  return { messages: undefined, response };
}

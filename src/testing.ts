export type { DoubleRequest, RequestBlock, RequestBody, RequestMessage } from "./testing/double-request.ts";
export {
  type MessagesDouble,
  type MessagesDoubleOptions,
  startMessagesDouble,
} from "./testing/messages-double.ts";
export {
  apiError,
  type ErrorReply,
  type HangUpReply,
  type RawReply,
  type Reply,
  type ReplyBlock,
  type Script,
  type ScriptStep,
  text,
  toolUse,
  turn,
  type TurnReply,
} from "./testing/reply.ts";
export { event, type SseEvent } from "./testing/sse-events.ts";

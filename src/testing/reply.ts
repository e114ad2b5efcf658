import type { Usage } from "../messages.ts";
import type { DoubleRequest } from "./double-request.ts";
import type { SseEvent } from "./sse-events.ts";

/** A block that the scripted model says. */
export type ReplyBlock =
  | { type: "text"; text: string }
  /** `json` is streamed as it stands instead of `input`: for cut or malformed tool input. */
  | { type: "tool_use"; id?: string; name: string; input?: unknown; json?: string }
  /** The double signs thinking by itself; what comes back altered is refused. */
  | { type: "thinking"; thinking: string }
  | { type: "redacted_thinking"; data?: string }
  /** Any other type is streamed whole in its content_block_start. */
  | { type: "other"; block: { type: string; [key: string]: unknown } };

/** A model's turn, streamed as server-sent events. Without faults it is what the API itself would send. */
export interface TurnReply {
  content?: readonly ReplyBlock[];
  /** Default: `tool_use` when there is a tool use, else `end_turn`. */
  stopReason?: string | null;
  stopDetails?: unknown;
  /** Overrides what the double has counted. */
  usage?: Partial<Usage>;
  /** Characters in one delta; default 20. */
  chunkChars?: number;
  /** Milliseconds before the response's headers. */
  headerDelayMs?: number;
  /** Milliseconds before each event. */
  eventDelayMs?: number;
  /** Destroys the connection after this many bytes of the body. */
  cutAtByte?: number;
  /** Ends the response in good order after this many bytes of the body. */
  endAtByte?: number;
  /** Sends nothing more after this many bytes of the body, and keeps the connection; Infinity: after the whole. */
  stallAtByte?: number;
  /** Sends an `error` event after this many events and ends the response. */
  errorAfterEvents?: { events: number; type: string; message?: string };
  /** Rewrites the events before they are sent: pings, unknown events and deltas, garbage. */
  events?: (events: SseEvent[]) => SseEvent[];
}

/** An answer with an error status and the API's error body. */
export interface ErrorReply {
  status: number;
  /** Default: the API's own type for this status. */
  type?: string;
  message?: string;
  /** The retry-after header: seconds or an HTTP date. */
  retryAfter?: number | string;
  headers?: Record<string, string>;
}

/** Bytes as they stand, for what is no event stream at all. */
export interface RawReply {
  raw: string | Uint8Array;
  status?: number;
  headers?: Record<string, string>;
  cutAtByte?: number;
}

/** Closes the connection without an answer. */
export interface HangUpReply {
  hangUp: true;
}

export type Reply = TurnReply | ErrorReply | RawReply | HangUpReply;

/** A reply, or what makes one from the request. */
export type ScriptStep = Reply | ((request: DoubleRequest) => Reply | Promise<Reply>);

/** One step a request, in order; or one function for all of them. */
export type Script = readonly ScriptStep[] | ((request: DoubleRequest) => Reply | Promise<Reply>);

/** A turn of one text. */
export function text(value: string, more: Omit<TurnReply, "content"> = {}): TurnReply {
  return { ...more, content: [{ type: "text", text: value }] };
}

/** A turn of one tool use. */
export function toolUse(name: string, input: unknown, more: Omit<TurnReply, "content"> = {}): TurnReply {
  return { ...more, content: [{ type: "tool_use", name, input }] };
}

/** A turn of several blocks. */
export function turn(content: readonly ReplyBlock[], more: Omit<TurnReply, "content"> = {}): TurnReply {
  return { ...more, content };
}

/** An error answer of the API. */
export function apiError(status: number, more: Omit<ErrorReply, "status"> = {}): ErrorReply {
  return { ...more, status };
}

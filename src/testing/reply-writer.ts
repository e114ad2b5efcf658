import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ErrorReply, RawReply, TurnReply } from "./reply.ts";
import { event, eventText, type SseEvent } from "./sse-events.ts";

/** The API's error type for a status. */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  401: "authentication_error",
  402: "billing_error",
  403: "permission_error",
  404: "not_found_error",
  413: "request_too_large",
  429: "rate_limit_error",
  504: "timeout_error",
  529: "overloaded_error",
};

export interface ErrorAnswer extends ErrorReply {
  requestId: string;
}

export function writeError(response: ServerResponse, error: ErrorAnswer): void {
  const type = error.type ?? ERROR_TYPES[error.status] ?? "api_error";
  const message = error.message ?? `scripted ${type}`;
  response.writeHead(error.status, {
    "content-type": "application/json",
    "request-id": error.requestId,
    ...(error.retryAfter === undefined ? {} : { "retry-after": String(error.retryAfter) }),
    ...error.headers,
  });
  response.end(JSON.stringify({ type: "error", error: { type, message }, request_id: error.requestId }));
}

export function writeRaw(response: ServerResponse, reply: RawReply): void {
  response.writeHead(reply.status ?? 200, { "content-type": "text/event-stream", ...reply.headers });
  const bytes = Buffer.from(reply.raw);
  if (reply.cutAtByte === undefined) response.end(bytes);
  else response.write(bytes.subarray(0, reply.cutAtByte), () => response.destroy());
}

/** Streams a turn, with the faults that its script asks for. Ends early, and quietly, when the client is gone. */
export async function writeTurn(
  response: ServerResponse,
  { reply, events, requestId }: { reply: TurnReply; events: SseEvent[]; requestId: string },
): Promise<void> {
  if (reply.headerDelayMs) await sleep(reply.headerDelayMs);
  response.writeHead(200, {
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache",
    "request-id": requestId,
  });
  response.flushHeaders();
  const sent = withError(reply, reply.events ? reply.events(events) : events).map(eventText);
  // Without a pace of its own the whole body goes out at once, as a fast server's would.
  const parts = reply.eventDelayMs ? sent : [sent.join("")];
  let room = reply.cutAtByte ?? reply.endAtByte ?? reply.stallAtByte ?? Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (reply.eventDelayMs) await sleep(reply.eventDelayMs);
    if (response.destroyed) return;
    const bytes = Buffer.from(part).subarray(0, room);
    room -= bytes.length;
    await send(response, bytes);
    if (room <= 0) break;
  }
  if (room <= 0 && reply.cutAtByte !== undefined) response.destroy();
  else if (reply.stallAtByte === undefined) response.end();
}

function withError(reply: TurnReply, events: SseEvent[]): SseEvent[] {
  const fault = reply.errorAfterEvents;
  if (!fault) return events;
  const error = { type: fault.type, message: fault.message ?? `scripted ${fault.type}` };
  return [...events.slice(0, fault.events), event("error", { error })];
}

/** Resolves when the bytes are with the kernel, or the client is gone. */
function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

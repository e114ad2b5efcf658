import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";

/**
 * A response's body piece by piece: no faster than it is read, and with an error when it ends too early. Who stops reading
 * ends the connection. No web stream: loading those costs a short run as much as its request does.
 */
export function bodyStream(incoming: IncomingMessage, onBytes: () => void): AsyncIterable<Uint8Array> {
  // What breaks before the first piece is asked for is told then.
  incoming.on("error", () => {});
  return pieces(incoming, onBytes);
}

async function* pieces(incoming: IncomingMessage, onBytes: () => void): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of (await decoded(incoming)) as AsyncIterable<Uint8Array>) {
      onBytes();
      yield chunk;
    }
  } finally {
    if (!incoming.complete) incoming.destroy();
  }
}

/** Compression is not asked for; some gateways do it all the same. */
async function decoded(incoming: IncomingMessage): Promise<Readable> {
  const encoding = incoming.headers["content-encoding"]?.toLowerCase();
  if (encoding === undefined || encoding === "identity") return incoming;
  const { createBrotliDecompress, createGunzip, createInflate } = await import("node:zlib");
  const decoders = new Map([
    ["gzip", createGunzip],
    ["x-gzip", createGunzip],
    ["deflate", createInflate],
    ["br", createBrotliDecompress],
  ]);
  const decoder = decoders.get(encoding)?.();
  if (!decoder) return incoming;
  // The decoder's own error event says what pipeline would.
  pipeline(incoming, decoder, () => {});
  return decoder;
}

import type { IncomingMessage } from "node:http";
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** A body may stand this far ahead of its reader. */
const BUFFER_BYTES = 65_536;

const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream & Readable>> = {
  gzip: createGunzip,
  "x-gzip": createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A response's body as a web stream: no faster than it is read, and with an error when it ends too early. */
export function bodyStream(incoming: IncomingMessage, onBytes: () => void): ReadableStream<Uint8Array> {
  const source = decoded(incoming);
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        // Left paused until the first pull.
        source.on("data", (chunk: Uint8Array) => {
          onBytes();
          controller.enqueue(chunk);
          if ((controller.desiredSize ?? 0) <= 0) source.pause();
        });
        source.once("end", () => controller.close());
        source.once("error", (error) => controller.error(error));
        source.pause();
      },
      pull() {
        source.resume();
      },
      cancel() {
        incoming.destroy();
      },
    },
    { highWaterMark: BUFFER_BYTES, size: (chunk) => chunk.byteLength },
  );
}

/** Compression is not asked for; some gateways do it all the same. */
function decoded(incoming: IncomingMessage): Readable {
  const decoder = DECODERS[incoming.headers["content-encoding"]?.toLowerCase() ?? ""]?.();
  if (!decoder) return incoming;
  // The decoder's own error event says what pipeline would.
  pipeline(incoming, decoder, () => {});
  return decoder;
}

import type { ImageBlock } from "../../messages.ts";

type MediaType = ImageBlock["source"]["media_type"];

/** What an image says of itself in its first bytes; the name of the file says nothing. */
export function imageType(bytes: Uint8Array): MediaType | undefined {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\u0089PNG\r\n\u001a\n")) return "image/png";
  if (head.startsWith("\u00ff\u00d8\u00ff")) return "image/jpeg";
  if (head.startsWith("GIF87a") || head.startsWith("GIF89a")) return "image/gif";
  return head.startsWith("RIFF") && head.startsWith("WEBP", 8) ? "image/webp" : undefined;
}

export function imageBlock(bytes: Uint8Array<ArrayBuffer>, mediaType: MediaType): ImageBlock {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

import type { ImageBlock } from "../../messages.ts";
import { Rejection } from "./rejection.ts";

/** The first bytes of each kind, in latin1; a `?` stands for any byte. */
const MAGIC: Record<ImageBlock["source"]["media_type"], readonly string[]> = {
  "image/png": ["\x89PNG\r\n\x1a\n"],
  "image/jpeg": ["\xff\xd8\xff"],
  "image/gif": ["GIF87a", "GIF89a"],
  "image/webp": ["RIFF????WEBP"],
};

/** The content is of the kind it says, and its base64 is the one spelling of it. */
export function checkImage({ source }: ImageBlock): void {
  const bytes = Buffer.from(source.data, "base64");
  if (bytes.toString("base64") !== source.data)
    throw new Rejection("image", "an image is not canonical base64");
  const starts = MAGIC[source.media_type].some((magic) => {
    return Array.from(magic).every((char, index) => char === "?" || bytes[index] === char.charCodeAt(0));
  });
  if (!starts) throw new Rejection("image", `an image does not begin as ${source.media_type} does`);
}

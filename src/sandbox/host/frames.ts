import { isUtf8 } from "node:buffer";
import { LIMITS } from "../../limits.ts";

/**
 * What goes over the one pipe between the main process and a tool host. A frame is a header of 13 bytes (u32 length of
 * all that follows it in the frame, u8 kind, u32 call, u32 length of the text; little-endian), then text as UTF-8, then
 * bytes.
 */
export interface Frame {
  kind: FrameKind;
  /** Number of the call it belongs to; 0 for none. */
  call: number;
  text: string;
  /** Only a `reply` has any. */
  bytes: Uint8Array;
}

/** In this order on the wire, from 1. */
export const FRAME_KINDS = ["setup", "run", "cancel", "ready", "reply", "failed", "idle", "note"] as const;
export type FrameKind = (typeof FRAME_KINDS)[number];

export const HEADER_BYTES = 13;
const LENGTH_BYTES = 4;

const SMALL = 16_384;
/** The most text that a frame of each kind may carry, in bytes: known before a byte of it is taken. */
const TEXT_MAX_BYTES: Record<FrameKind, number> = {
  setup: 65_536,
  run: LIMITS.inputMaxBytes + SMALL,
  cancel: 0,
  ready: SMALL,
  reply: LIMITS.replyHeadMaxBytes + LIMITS.resultMaxBytes,
  // The worker's own output, with each byte of it escaped in JSON.
  failed: LIMITS.workerOutputMaxBytes * 6 + SMALL,
  idle: 256,
  // Each character of a note escaped in JSON, and its other fields.
  note: LIMITS.noteMaxChars * 6 + 512,
};

/** A frame that is under way. */
interface Body {
  kind: FrameKind;
  call: number;
  textBytes: number;
  data: Buffer;
  filled: number;
}

const NO_BYTES = new Uint8Array(0);

/** Whether a reply can be carried at all; one that cannot is for the sender to replace. */
export function fitsReply(textBytes: number, bytes: number): boolean {
  return textBytes <= TEXT_MAX_BYTES.reply && bytes <= LIMITS.resultMaxBytes;
}

/** A frame in parts, to be written one after the other: the bytes are not copied. */
export function encodeFrame(frame: Omit<Frame, "bytes"> & { bytes?: Uint8Array }): Uint8Array[] {
  const { kind, call, text, bytes } = frame;
  const textBytes = Buffer.byteLength(text);
  const head = Buffer.allocUnsafe(HEADER_BYTES + textBytes);
  head.writeUInt32LE(HEADER_BYTES - LENGTH_BYTES + textBytes + (bytes?.byteLength ?? 0), 0);
  head.writeUInt8(FRAME_KINDS.indexOf(kind) + 1, 4);
  head.writeUInt32LE(call, 5);
  head.writeUInt32LE(textBytes, 9);
  head.write(text, HEADER_BYTES, "utf8");
  return bytes && bytes.byteLength > 0 ? [head, bytes] : [head];
}

/**
 * Takes a stream of bytes apart into frames, however it is split. The other side is not trusted: a frame that breaks
 * the rules ends the reading for good (`problem`), and no memory is taken for more than a frame may have.
 */
export class FrameReader {
  readonly #accepts: ReadonlySet<FrameKind>;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #headerFilled = 0;
  #body: Body | undefined;
  #problem: string | undefined;

  /** @param accepts the kinds that this side may be sent. */
  constructor(accepts: readonly FrameKind[]) {
    this.#accepts = new Set(accepts);
  }

  /** What broke the rules, once something has. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The frames that are whole with this chunk. Never throws; nothing comes any more once there is a problem. */
  push(chunk: Uint8Array): Frame[] {
    const frames: Frame[] = [];
    let at = 0;
    while (this.#problem === undefined && at < chunk.byteLength) {
      at += this.#body ? this.#fillBody(this.#body, chunk, at) : this.#fillHeader(chunk, at);
      const frame = this.#takeWhole();
      if (frame) frames.push(frame);
    }
    return frames;
  }

  #fillHeader(chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + HEADER_BYTES - this.#headerFilled);
    this.#header.set(part, this.#headerFilled);
    this.#headerFilled += part.byteLength;
    if (this.#headerFilled === HEADER_BYTES) this.#openBody();
    return part.byteLength;
  }

  #openBody(): void {
    this.#headerFilled = 0;
    const length = this.#header.readUInt32LE(0) - (HEADER_BYTES - LENGTH_BYTES);
    const kind = FRAME_KINDS[this.#header.readUInt8(4) - 1];
    const textBytes = this.#header.readUInt32LE(9);
    if (kind === undefined || !this.#accepts.has(kind)) this.#problem = "a frame of a kind that is not known";
    else if (textBytes > TEXT_MAX_BYTES[kind]) this.#problem = `a ${kind} frame with too much text`;
    else if (length < textBytes) this.#problem = `a ${kind} frame that is shorter than its text`;
    else if (length - textBytes > (kind === "reply" ? LIMITS.resultMaxBytes : 0)) {
      this.#problem = `a ${kind} frame with too many bytes`;
    } else {
      const data = Buffer.allocUnsafeSlow(length);
      this.#body = { kind, call: this.#header.readUInt32LE(5), textBytes, data, filled: 0 };
    }
  }

  #fillBody(body: Body, chunk: Uint8Array, at: number): number {
    const part = chunk.subarray(at, at + body.data.byteLength - body.filled);
    body.data.set(part, body.filled);
    body.filled += part.byteLength;
    return part.byteLength;
  }

  #takeWhole(): Frame | undefined {
    const body = this.#body;
    if (!body || body.filled < body.data.byteLength) return undefined;
    this.#body = undefined;
    const { kind, call, textBytes, data } = body;
    const text = data.subarray(0, textBytes);
    if (!isUtf8(text)) {
      this.#problem = `a ${kind} frame whose text is not UTF-8`;
      return undefined;
    }
    const bytes = data.byteLength > textBytes ? data.subarray(textBytes) : NO_BYTES;
    return { kind, call, text: text.toString("utf8"), bytes };
  }
}

import { isUtf8 } from "node:buffer";
import { types } from "node:util";
import { TOOL_ERROR_TYPES } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { PathUse, ToolProfile } from "../tools/base-tool.ts";
import type { ToolContent } from "../tools/tool-result.ts";
import type { ReplyHead } from "./protocol.ts";
import { fitsAsJson } from "./json-size.ts";
import { checkEvidence } from "./recheck/evidence.ts";
import { checkImage } from "./recheck/image.ts";
import { checkPlain } from "./recheck/plain.ts";
import { replyHeadShape } from "./recheck/reply-schema.ts";
import { Rejection, type RecheckCheck } from "./recheck/rejection.ts";

export { RECHECK_CHECKS, type RecheckCheck } from "./recheck/rejection.ts";

/** What the main thread knows about a call, against which the reply is held. */
export interface RecheckExpectation {
  readonly nonce: string;
  /** The canonical path of the workspace. */
  readonly root: string;
  /** `dev` of the root, from one stat when the run began. */
  readonly rootDev: number;
  readonly profile: ToolProfile;
  /** The paths that the call's input names: a success must have touched something then. */
  readonly paths?: readonly PathUse[];
  /** Whether evidence may rest on names: only where the system can't tell a descriptor's path (not Linux). */
  readonly byName?: boolean;
}

export type RecheckResult =
  | { ok: true; head: ReplyHead; content: ToolContent[] }
  | { ok: false; check: RecheckCheck; detail: string };

/**
 * Checks a worker's reply as what it is: data from a thread that may have been taken over. Never throws. Everything
 * in the result was built here, so nothing that the worker still holds can change it. `content` of a failed call is
 * its message.
 */
export function recheckReply(reply: unknown, expect: RecheckExpectation): RecheckResult {
  try {
    const { headText, bytes } = readReply(reply);
    const head = parseHead(headText);
    if (head.nonce !== expect.nonce)
      throw new Rejection("nonce", "the reply does not carry the call's nonce");
    checkEvidence(head, expect);
    return { ok: true, head, content: readContent(head, bytes) };
  } catch (error) {
    if (error instanceof Rejection) return { ok: false, check: error.check, detail: error.message };
    return { ok: false, check: "shape", detail: "the reply can't be read as plain data" };
  }
}

/** Takes each field once, as own data and not by a getter. */
function readReply(reply: unknown): { headText: string; bytes: Uint8Array } {
  if (typeof reply !== "object" || reply === null || types.isProxy(reply)) {
    throw new Rejection("shape", "the reply is not a plain object");
  }
  const fields = Object.entries(Object.getOwnPropertyDescriptors(reply));
  const extra = fields.find(([key, field]) => (key !== "head" && key !== "bytes") || !("value" in field));
  if (extra) throw new Rejection("shape", `the reply has the field ${JSON.stringify(extra[0].slice(0, 80))}`);
  const { head, bytes }: Record<string, unknown> = Object.fromEntries(
    fields.map(([key, field]) => [key, field.value]),
  );
  if (typeof head !== "string") throw new Rejection("shape", "the reply's head is not text");
  return { headText: head, bytes: plainBytes(bytes) };
}

function plainBytes(bytes: unknown): Uint8Array {
  if (bytes === undefined) return new Uint8Array(0);
  if (!types.isUint8Array(bytes)) throw new Rejection("bytes", "the reply's bytes are not a Uint8Array");
  const { buffer } = bytes;
  // Shared or resizable memory could change after it was checked.
  if (!types.isArrayBuffer(buffer) || ("resizable" in buffer && buffer.resizable !== false)) {
    throw new Rejection("bytes", "the reply's bytes lie in shared or resizable memory");
  }
  if (bytes.byteLength > LIMITS.resultMaxBytes) {
    throw new Rejection("size", `${bytes.byteLength} bytes, the limit is ${LIMITS.resultMaxBytes}`);
  }
  return bytes;
}

function parseHead(text: string): ReplyHead {
  checkHeadSize(text.length, LIMITS.replyHeadMaxBytes + LIMITS.resultMaxBytes);
  let head: unknown;
  try {
    head = JSON.parse(text);
  } catch {
    throw new Rejection("head_json", "the reply's head is not JSON");
  }
  checkPlain(head);
  const shape = replyHeadShape(head);
  if (shape !== undefined) throw new Rejection("schema", shape);
  const checked = head as ReplyHead;
  const size = Buffer.byteLength(text);
  if (size > LIMITS.replyHeadMaxBytes) checkHeadSize(size - inlineBytes(checked), LIMITS.replyHeadMaxBytes);
  if (!checked.ok && !TOOL_ERROR_TYPES.includes(checked.error_type)) {
    throw new Rejection(
      "error_type",
      `unknown error type ${JSON.stringify(checked.error_type.slice(0, 80))}`,
    );
  }
  return checked;
}

function checkHeadSize(size: number, limit: number): void {
  if (size > limit) throw new Rejection("head_size", `${size} bytes of JSON, the limit is ${limit}`);
}

/** Inline content as JSON: it has the result's limit, the rest of the head has its own. */
function inlineBytes(head: ReplyHead): number {
  return head.ok ? Buffer.byteLength(JSON.stringify(head.content)) : 0;
}

function readContent(head: ReplyHead, bytes: Uint8Array): ToolContent[] {
  if (!head.ok) {
    if (bytes.byteLength > 0) throw new Rejection("bytes", "a failed call came with bytes");
    return [{ type: "text", text: head.message }];
  }
  let ranges = 0;
  let images = 0;
  const texts: (string | Uint8Array)[] = [bytes];
  const content = head.content.map((block): ToolContent => {
    if (block.type === "image") {
      checkImage(block);
      images += block.source.data.length;
      return block;
    }
    if ("text" in block) {
      texts.push(block.text);
      return block;
    }
    const text = readRange(bytes, block.bytes, ranges);
    ranges = block.bytes[1];
    return { type: "text", text };
  });
  if (ranges !== bytes.byteLength) {
    throw new Rejection("bytes", `${bytes.byteLength} bytes came, ${ranges} of them belong to a text`);
  }
  if (!fitsAsJson(LIMITS.resultMaxBytes, texts, images))
    throw new Rejection("size", `the content as JSON is over the limit of ${LIMITS.resultMaxBytes} bytes`);
  return content;
}

/** Ranges lie one behind the other, without gap and overlap. */
function readRange(bytes: Uint8Array, [start, end]: [number, number], expectedStart: number): string {
  if (start !== expectedStart || end < start || end > bytes.byteLength) {
    throw new Rejection("bytes", `the range ${start} to ${end} does not follow on ${expectedStart}`);
  }
  const range = bytes.subarray(start, end);
  if (!isUtf8(range)) throw new Rejection("unicode", "a text is not well-formed UTF-8");
  return Buffer.from(range.buffer, range.byteOffset, range.byteLength).toString("utf8");
}

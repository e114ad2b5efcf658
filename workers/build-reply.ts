import { types } from "node:util";
import { TOOL_ERROR_TYPES, type ToolErrorType } from "../src/errors.ts";
import { LIMITS } from "../src/limits.ts";
import { fitsAsJson } from "../src/sandbox/json-size.ts";
import type { Evidence, ReplyFailed, ReplyOk, ToolReply } from "../src/sandbox/protocol.ts";
import type { ToolData } from "../src/tools/tool-result.ts";
import { NotPlain, toPlainJson } from "./plain-json.ts";
import { TextBytes } from "./text-bytes.ts";

/** Kept from before any code that is not ours was loaded; what a tool patches later spoils its own reply at most. */
const { stringify } = JSON;
const byteLength = Buffer.byteLength.bind(Buffer);

const DATA_LIMITS = { nodes: 20_000, depth: 32, chars: LIMITS.replyHeadMaxBytes };
const IMAGE_LIMITS = { nodes: 16, depth: 3, chars: LIMITS.resultMaxBytes };
const BLOCKS_MAX = 64;
const MESSAGE_MAX_CHARS = 2_000;

type ReplyBlock = ReplyOk["content"][number];
type ImageReply = Extract<ReplyBlock, { type: "image" }>;

interface ReplyParts {
  nonce: string;
  evidence: Evidence[];
}

/** A result, bounded before it leaves the worker; one that is too large, or is no result at all, becomes a failure. */
export function successReply(parts: ReplyParts, result: unknown): ToolReply {
  try {
    const { blocks, texts } = contentOf(result);
    const head: ReplyOk = {
      nonce: parts.nonce,
      ok: true,
      content: blocks,
      data: dataOf(result),
      evidence: parts.evidence,
    };
    const text = stringify(head);
    const most = LIMITS.replyHeadMaxBytes + LIMITS.resultMaxBytes;
    if (byteLength(text) > most) throw new NotPlain(`its data is over ${most} bytes`);
    const bytes = texts.join();
    return bytes ? { head: text, bytes } : { head: text };
  } catch (error) {
    return failureReply(parts, error);
  }
}

/** A failure as data: classes and codes of errors do not survive the way to another thread. */
export function failureReply(parts: ReplyParts, error: unknown): ToolReply {
  const { nonce, evidence } = parts;
  const head: ReplyFailed = { nonce, ok: false, ...failureOf(error), evidence };
  const text = stringify(head);
  if (byteLength(text) <= LIMITS.replyHeadMaxBytes) return { head: text };
  return { head: stringify({ ...head, data: {}, evidence: [] }) };
}

function contentOf(result: unknown): { blocks: ReplyBlock[]; texts: TextBytes } {
  const content = (Object(result) as { content?: unknown }).content;
  if (!Array.isArray(content)) throw new TypeError(`the result has no "content" array`);
  if (content.length > BLOCKS_MAX)
    throw new NotPlain(`it has ${content.length} content blocks, limit ${BLOCKS_MAX}`);
  const texts = new TextBytes();
  const blocks: ReplyBlock[] = [];
  const given: (string | Uint8Array)[] = [];
  const bytes = { texts: 0, images: 0 };
  for (let index = 0; index < content.length; index++) {
    const { block, text, size } = blockOf(content[index], texts);
    if (text !== undefined) given.push(text);
    bytes[text === undefined ? "images" : "texts"] += size;
    if (bytes.texts + bytes.images > LIMITS.resultMaxBytes) throw tooMuch();
    blocks.push(block);
  }
  if (!fitsAsJson(LIMITS.resultMaxBytes, given, bytes.images)) throw tooMuch();
  return { blocks, texts };
}

function tooMuch(): NotPlain {
  return new NotPlain(`its content as JSON is over ${LIMITS.resultMaxBytes} bytes`);
}

/** `text` is what a text block was made of. */
function blockOf(
  given: unknown,
  texts: TextBytes,
): { block: ReplyBlock; text?: string | Uint8Array; size: number } {
  const { type, text, source } = Object(given) as { type?: unknown; text?: unknown; source?: unknown };
  if (type === "text" && typeof text === "string") {
    // Looked at before it is encoded: three bytes a character at most.
    if (text.length > LIMITS.resultMaxBytes) return { block: { type, text: "" }, text, size: text.length };
    return { block: texts.add(text), text, size: byteLength(text) };
  }
  if (type === "text" && types.isUint8Array(text))
    return { block: texts.add(text), text, size: text.byteLength };
  if (type === "image") {
    const block = toPlainJson({ type, source }, IMAGE_LIMITS) as unknown as ImageReply;
    return { block, size: stringify(block).length };
  }
  throw new TypeError(`a content block must be of type "text" or "image"`);
}

function dataOf(result: unknown): ToolData {
  return toPlainJson((result as { data?: unknown }).data ?? {}, DATA_LIMITS) as ToolData;
}

function failureOf(error: unknown): Pick<ReplyFailed, "error_type" | "message" | "data"> {
  try {
    if (error instanceof NotPlain)
      return failure("output_limit", `the result is too large: ${error.message}; ask for less`);
    // By its fields and not its class: a tool module brings its own copy of ToolFailure.
    const { name, message, errorType, data } = Object(error) as Record<string, unknown>;
    if (name === "ToolFailure" && isErrorType(errorType)) {
      return failure(errorType, String(message), toPlainJson(data ?? {}, DATA_LIMITS) as ToolData);
    }
    return failure(
      "runtime_error",
      `the tool failed: ${types.isNativeError(error) ? `${String(name)}: ${String(message)}` : String(error)}`,
    );
  } catch {
    return failure("runtime_error", "the tool failed with an error that cannot be read");
  }
}

function failure(type: ToolErrorType, message: string, data: ToolData = {}): ReturnType<typeof failureOf> {
  const short = message.length > MESSAGE_MAX_CHARS ? `${message.slice(0, MESSAGE_MAX_CHARS)}…` : message;
  return { error_type: type, message: short.toWellFormed(), data };
}

function isErrorType(value: unknown): value is ToolErrorType {
  return (TOOL_ERROR_TYPES as readonly unknown[]).includes(value);
}

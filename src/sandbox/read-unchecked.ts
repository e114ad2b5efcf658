import type { ToolContent } from "../tools/tool-result.ts";
import type { ReplyHead, ToolReply } from "./protocol.ts";
import type { RecheckResult } from "./recheck.ts";

/** A reply taken at its word: what the runtime would do without the re-check. The attack harness alone asks for it. */
export function readUnchecked(reply: unknown): RecheckResult {
  const { head: text, bytes } = reply as ToolReply;
  const head = JSON.parse(text) as ReplyHead;
  if (!head.ok) return { ok: true, head, content: [{ type: "text", text: head.message }] };
  const content = head.content.map((block): ToolContent => {
    if (!("bytes" in block)) return block;
    return { type: "text", text: new TextDecoder().decode(bytes?.subarray(...block.bytes)) };
  });
  return { ok: true, head, content };
}

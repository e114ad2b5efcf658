import { TOOL_ERROR_TYPES, type ToolErrorType } from "../../errors.ts";
import type { ToolResultBlock } from "../../messages.ts";
import { isText } from "../../messages.ts";

const TYPE = new RegExp(`\\b(${TOOL_ERROR_TYPES.join("|")})\\b`);

/** The error type that an error result carries in its text, at or near its start; `runtime_error` when it carries none. */
export function errorTypeOf(result: ToolResultBlock): ToolErrorType {
  const found = TYPE.exec(textOf(result).slice(0, 200))?.[1];
  return TOOL_ERROR_TYPES.find((type) => type === found) ?? "runtime_error";
}

/** All text of a result. */
export function textOf(result: ToolResultBlock): string {
  return result.content
    .filter(isText)
    .map((block) => block.text)
    .join("\n");
}

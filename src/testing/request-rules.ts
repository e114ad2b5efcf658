import type { RequestBlock, RequestBody } from "./double-request.ts";
import { messageProblem } from "./message-rules.ts";

/** Top-level fields of the API's version 2026-10-21; sampling parameters are no longer among them. */
const FIELDS = new Set([
  "model",
  "max_tokens",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "stream",
  "stop_sequences",
  "thinking",
  "output_config",
  "cache_control",
  "metadata",
  "service_tier",
  "container",
  "context_management",
  "diagnostics",
  "inference_geo",
]);
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
const EFFORTS: ReadonlySet<unknown> = new Set(["low", "medium", "high", "xhigh", "max"]);
const MAX_BREAKPOINTS = 4;
const MIN_THINKING_BUDGET = 1_024;

/** Why the API would answer 400 `invalid_request_error`; undefined when it would not. */
export function requestProblem(body: RequestBody): string | undefined {
  return (
    fieldProblem(body) ??
    thinkingProblem(body) ??
    toolsProblem(body.tools) ??
    systemProblem(body.system) ??
    messageProblem(body.messages) ??
    breakpointProblem(body)
  );
}

function fieldProblem(body: RequestBody): string | undefined {
  for (const key of Object.keys(body)) {
    if (!FIELDS.has(key)) return `${key}: Extra inputs are not permitted`;
  }
  if (body.model === undefined) return "model: Field required";
  if (typeof body.model !== "string" || body.model === "") return "model: Input should be a valid string";
  if (body.max_tokens === undefined) return "max_tokens: Field required";
  if (!Number.isInteger(body.max_tokens) || body.max_tokens < 0) {
    return "max_tokens: Input should be greater than or equal to 0";
  }
  const effort = (body["output_config"] as { effort?: unknown } | undefined)?.effort;
  if (effort != null && !EFFORTS.has(effort)) {
    return "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'";
  }
  return undefined;
}

function thinkingProblem(body: RequestBody): string | undefined {
  const thinking = body["thinking"] as { type?: unknown; budget_tokens?: unknown } | undefined;
  if (thinking === undefined) return undefined;
  switch (thinking.type) {
    case "adaptive":
    case "between_tools":
    case "disabled":
      return undefined;
    case "enabled": {
      const budget = thinking.budget_tokens;
      if (typeof budget !== "number") return "thinking.enabled.budget_tokens: Field required";
      if (budget < MIN_THINKING_BUDGET) {
        return "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024";
      }
      return budget < (body.max_tokens ?? 0)
        ? undefined
        : "`max_tokens` must be greater than `thinking.budget_tokens`.";
    }
    default:
      return "thinking: Input tag does not match any of the expected tags: 'adaptive', 'between_tools', 'disabled', 'enabled'";
  }
}

function toolsProblem(tools: unknown): string | undefined {
  if (tools === undefined) return undefined;
  if (!Array.isArray(tools)) return "tools: Input should be a valid list";
  const names = new Set<string>();
  for (const [index, tool] of tools.entries()) {
    const at = `tools.${index}.custom`;
    const { name, description, input_schema: schema } = tool as RequestBlock;
    if (typeof name !== "string" || !TOOL_NAME.test(name)) {
      return `${at}.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
    }
    if (names.has(name)) return "tools: Tool names must be unique.";
    names.add(name);
    if (description !== undefined && typeof description !== "string") {
      return `${at}.description: Input should be a valid string`;
    }
    if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
      return `${at}.input_schema: Field required`;
    }
    if ((schema as { type?: unknown }).type !== "object") {
      return `${at}.input_schema.type: Input should be 'object'`;
    }
  }
  return undefined;
}

function systemProblem(system: unknown): string | undefined {
  if (system === undefined || typeof system === "string") return undefined;
  if (!Array.isArray(system)) return "system: Input should be a valid list";
  for (const [index, block] of (system as RequestBlock[]).entries()) {
    if (block.type !== "text") return `system.${index}.type: Input should be 'text'`;
    if (typeof block["text"] !== "string" || block["text"] === "") {
      return "system: text content blocks must be non-empty";
    }
  }
  return undefined;
}

function breakpointProblem(body: RequestBody): string | undefined {
  let count = body["cache_control"] === undefined ? 0 : 1;
  let problem: string | undefined;
  const look = (block: RequestBlock, at: string) => {
    const marker = block["cache_control"] as { type?: unknown; ttl?: unknown } | null | undefined;
    if (marker != null) {
      count++;
      if (marker.type !== "ephemeral") problem ??= `${at}.cache_control.type: Input should be 'ephemeral'`;
      if (marker.ttl !== undefined && marker.ttl !== "5m" && marker.ttl !== "1h") {
        problem ??= `${at}.cache_control.ttl: Input should be '5m' or '1h'`;
      }
      if (block.type === "thinking" || block.type === "redacted_thinking") {
        problem ??= `${at}.cache_control: Extra inputs are not permitted`;
      }
    }
    lookIn(block["content"], `${at}.content`);
  };
  const lookIn = (blocks: unknown, at: string) => {
    if (Array.isArray(blocks))
      blocks.forEach((block, index) => look(block as RequestBlock, `${at}.${index}`));
  };
  lookIn(body.tools, "tools");
  lookIn(body.system, "system");
  body.messages?.forEach((message, index) => lookIn(message.content, `messages.${index}.content`));
  if (count > MAX_BREAKPOINTS) {
    problem ??= `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${count}.`;
  }
  return problem;
}

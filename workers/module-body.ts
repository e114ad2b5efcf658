import { type BodyResult, type ToolBody, ToolFailure } from "../src/tools/tool-body.ts";
import type { ToolDefinition, ToolFacts, ToolOutput } from "../src/tools/user/tool-definition.ts";
import { toolContext } from "./tool-context.ts";

/**
 * The body of a tool module: its default export is a function, or the definition of a tool with its `invoke`. Loaded
 * here, in the sealed thread, and for the first time: its worker serves no other call.
 */
export async function moduleBody(module: string, nonce: string): Promise<ToolBody> {
  const found = await defaultExport(module);
  if (typeof found === "function") return found as ToolBody;
  if (isDefinition(found)) {
    return async (input, context) => resultOf(await found.invoke(input, toolContext(context, nonce)));
  }
  throw new ToolFailure("runtime_error", `tool module ${module} has no function as its default export`);
}

/** The body `describe`: what a module says of the tool that it defines, as data. */
export async function describeModule(module: string): Promise<ToolBody> {
  const found = await defaultExport(module);
  if (!isDefinition(found)) {
    throw new ToolFailure(
      "invalid_input",
      "its default export is no tool: an object with an `invoke` function",
    );
  }
  const { name, description, inputSchema, permissions, idempotent, timeoutMs } = found;
  const workspace = permissions?.workspace ?? "read";
  const facts: Record<keyof ToolFacts, unknown> = {
    name,
    description,
    inputSchema,
    workspace,
    idempotent: idempotent ?? workspace === "read",
    timeoutMs: timeoutMs ?? null,
  };
  return () => ({ content: [], data: facts });
}

async function defaultExport(module: string): Promise<unknown> {
  return ((await import(module)) as { default?: unknown }).default;
}

function isDefinition(value: unknown): value is ToolDefinition {
  return (
    typeof value === "object" && value !== null && typeof (value as ToolDefinition).invoke === "function"
  );
}

/** What it is not, the making of the reply will say. */
function resultOf(output: ToolOutput): BodyResult {
  if (typeof output === "string") return { content: [{ type: "text", text: output }] };
  const { content, data } = Object(output) as Exclude<ToolOutput, string>;
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  return { content: blocks, ...(data !== undefined && { data }) };
}

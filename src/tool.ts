/** `ruizn/tool`: for authors of tools. Loads nothing: it can be imported in a tool's module too. */
import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type { ToolDefinition } from "./tools/user/tool-definition.ts";

export type {
  ToolContext,
  ToolDefinition,
  ToolEntry,
  ToolOutput,
  ToolWorkspace,
} from "./tools/user/tool-definition.ts";

/** Asked only of a schema that is known: of schemas in general the compiler could never say. */
type InputBy<Schema> = Schema extends JSONSchema ? FromSchema<Schema> : never;

/** Gives a definition back as it is, with the type of its input taken from its schema. */
export function defineTool<const Schema extends object>(
  definition: Omit<ToolDefinition<InputBy<Schema>>, "inputSchema"> & { inputSchema: Schema },
): ToolDefinition {
  return definition as unknown as ToolDefinition;
}

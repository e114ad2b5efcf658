import type { ToolUseBlock } from "../../messages.ts";
import type { ToolDescription } from "../provider.ts";
import type { Intent } from "./goal-intents.ts";

export interface Plan {
  /** What the calls are for, one for each of `uses`. */
  intents: Intent[];
  uses: ToolUseBlock[];
  /** Names of tools that the goal needs and this run does not offer. */
  missing: string[];
}

/** The tool for each kind of intent, by its fixed name. */
const TOOL_OF: Record<Intent["kind"], string> = {
  read: "read_file",
  list: "list_dir",
  find: "glob",
  search: "grep",
};

const TREE_DEPTH = 3;
/** A goal that names more is worked off in part; the answer says so. */
const CALLS_MAX = 16;

/** Turns intents into tool calls for the tools that are really offered, in the words of their schemas. */
export function planCalls(
  intents: readonly Intent[],
  tools: readonly ToolDescription[],
  taken: ReadonlySet<string>,
): Plan {
  const plan: Plan = { intents: [], uses: [], missing: [] };
  const nextId = idMaker(taken);
  for (const intent of intents.slice(0, CALLS_MAX)) {
    const name = TOOL_OF[intent.kind];
    const tool = tools.find((candidate) => candidate.name === name);
    const input = tool && fitInput(wishes(intent), tool.input_schema);
    if (input) {
      plan.intents.push(intent);
      plan.uses.push({ type: "tool_use", id: nextId(), name, input });
    } else if (!plan.missing.includes(name)) {
      plan.missing.push(name);
    }
  }
  return plan;
}

function wishes(intent: Intent): Record<string, unknown> {
  switch (intent.kind) {
    case "read":
      return intent.range
        ? { path: intent.path, offset: intent.range.from, limit: intent.range.lines }
        : { path: intent.path };
    case "list":
      return intent.deep ? { path: intent.path, depth: TREE_DEPTH } : { path: intent.path };
    case "find":
    case "search":
      return intent.path === "."
        ? { pattern: intent.pattern }
        : { pattern: intent.pattern, path: intent.path };
  }
}

/** Keeps what the schema has a property for; undefined when the schema asks for more, or lacks what the call is about. */
function fitInput(
  wished: Record<string, unknown>,
  schema: Record<string, unknown>,
): Record<string, unknown> | undefined {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const input: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(wished)) {
    if (fits(value, properties[name])) input[name] = value;
    else if (typeof value === "string") return undefined;
  }
  return required.every((name) => typeof name === "string" && name in input) ? input : undefined;
}

function fits(value: unknown, property: unknown): boolean {
  if (!isRecord(property)) return false;
  const { type, maxLength, minimum, maximum } = property;
  if (typeof value === "string") {
    return type === "string" && !(typeof maxLength === "number" && Array.from(value).length > maxLength);
  }
  if (typeof value !== "number" || (type !== "integer" && type !== "number")) return false;
  return (
    !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum)
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function idMaker(taken: ReadonlySet<string>): () => string {
  let count = taken.size;
  return () => {
    let id = `toolu_offline_${++count}`;
    while (taken.has(id)) id = `toolu_offline_${++count}`;
    return id;
  };
}

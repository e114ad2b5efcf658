import type { ErrorObject } from "ajv/dist/2020.js";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "./base-tool.ts";
import { schemaCheck, valueAt } from "./schema-check.ts";

/** `undefined` when the input is valid; else one line that names the field, the value and the rule. */
export type InputValidator = (input: unknown) => string | undefined;

const SCHEMA_MAX_BYTES = 65_536;
const VALUE_SHOWN_MAX_CHARS = 80;

/**
 * Compiles a tool's input schema, once. Patterns run on RE2.
 * @throws RuiZNError tool_invalid
 */
export function compileInputSchema({
  name,
  inputSchema: schema,
}: Pick<BaseTool, "name" | "inputSchema">): InputValidator {
  const refuse = (why: string, cause?: unknown): never => {
    throw new RuiZNError("tool_invalid", `input schema of tool ${name}: ${why}`, { cause });
  };
  if (typeof schema !== "object" || schema.type !== "object") return refuse(`"type" must be "object"`);
  const text = JSON.stringify(schema);
  const bytes = Buffer.byteLength(text);
  if (bytes > SCHEMA_MAX_BYTES) refuse(`${bytes} bytes, limit ${SCHEMA_MAX_BYTES}`);
  try {
    const check = schemaCheck(schema, text);
    return (input) => (check(input) ? undefined : describe(check.errors?.[0], input));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), error);
  }
}

function describe(error: ErrorObject | undefined, input: unknown): string {
  if (!error) return "the input is not valid";
  const { instancePath: at, message = "is not valid", params } = error;
  const field = at === "" ? "the input" : at.slice(1).replaceAll("/", ".");
  const extra = error.keyword === "additionalProperties" ? ` (${String(params["additionalProperty"])})` : "";
  return `${field} ${message}${extra}; got ${shown(valueAt(input, at))}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > VALUE_SHOWN_MAX_CHARS ? `${text.slice(0, VALUE_SHOWN_MAX_CHARS)}…` : text;
}

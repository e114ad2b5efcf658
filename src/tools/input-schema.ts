import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { RE2JS } from "re2js";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "./base-tool.ts";

/** `undefined` when the input is valid; else one line that names the field, the value and the rule. */
export type InputValidator = (input: unknown) => string | undefined;

const SCHEMA_MAX_BYTES = 65_536;
const VALUE_SHOWN_MAX_CHARS = 80;

/**
 * Compiles a tool's input schema in ajv's strict mode (JSON Schema 2020-12). Patterns run on RE2, so that neither a
 * hostile schema nor a hostile value can stall the main thread.
 * @throws RuiZNError tool_invalid
 */
export function compileInputSchema(tool: Pick<BaseTool, "name" | "inputSchema">): InputValidator {
  const refuse = (why: string, cause?: unknown): never => {
    throw new RuiZNError("tool_invalid", `input schema of tool ${tool.name}: ${why}`, { cause });
  };
  const schema = tool.inputSchema;
  if (typeof schema !== "object" || schema.type !== "object") refuse(`"type" must be "object"`);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_MAX_BYTES) refuse(`${bytes} bytes, limit ${SCHEMA_MAX_BYTES}`);
  try {
    const validate = newAjv().compile(schema as object);
    return (input) => (validate(input) ? undefined : describe(validate.errors?.[0], input));
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), error);
  }
}

function newAjv(): Ajv2020 {
  const regExp = Object.assign((pattern: string) => linearRegExp(pattern), { code: "RE2JS" });
  return new Ajv2020({ strict: true, allErrors: false, verbose: true, code: { regExp } });
}

function linearRegExp(pattern: string): { test(text: string): boolean } {
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find() };
}

function describe(error: ErrorObject | undefined, input: unknown): string {
  if (!error) return "the input is not valid";
  const field = error.instancePath === "" ? "the input" : error.instancePath.slice(1).replaceAll("/", ".");
  const extra = error.keyword === "additionalProperties" ? ` (${error.params["additionalProperty"]})` : "";
  const value = error.instancePath === "" ? input : error.data;
  return `${field} ${error.message ?? "is not valid"}${extra}; got ${shown(value)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > VALUE_SHOWN_MAX_CHARS ? `${text.slice(0, VALUE_SHOWN_MAX_CHARS)}…` : text;
}

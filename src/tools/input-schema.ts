import { createRequire } from "node:module";
import type * as Re2js from "re2js";
import { Ajv2020, type ErrorObject, type Options } from "ajv/dist/2020.js";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "./base-tool.ts";

/** `undefined` when the input is valid; else one line that names the field, the value and the rule. */
export type InputValidator = (input: unknown) => string | undefined;

const SCHEMA_MAX_BYTES = 65_536;
const VALUE_SHOWN_MAX_CHARS = 80;

/**
 * Compiles a tool's input schema in ajv's strict mode (JSON Schema 2020-12). Patterns run on RE2, so that neither a
 * hostile schema nor a hostile value can stall the main thread. The schema of a built-in tool (one with a `body`) is
 * ours and held valid by a test: it is compiled when it is first needed, and not measured against the meta-schema,
 * whose compilation costs more than everything else here together.
 * @throws RuiZNError tool_invalid
 */
export function compileInputSchema(
  tool: Pick<BaseTool, "name" | "inputSchema"> & Partial<Pick<BaseTool, "body">>,
): InputValidator {
  const refuse = (why: string, cause?: unknown): never => {
    throw new RuiZNError("tool_invalid", `input schema of tool ${tool.name}: ${why}`, { cause });
  };
  const schema = tool.inputSchema;
  if (typeof schema !== "object" || schema.type !== "object") return refuse(`"type" must be "object"`);
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > SCHEMA_MAX_BYTES) refuse(`${bytes} bytes, limit ${SCHEMA_MAX_BYTES}`);
  if (tool.body !== undefined) return compiledOnFirstUse(schema);
  try {
    return compile(schema, newAjv());
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), error);
  }
}

function compiledOnFirstUse(schema: object): InputValidator {
  let validate: InputValidator | undefined;
  return (input) => {
    validate ??= compile(schema, newAjv({ meta: false, validateSchema: false }));
    return validate(input);
  };
}

function compile(schema: object, ajv: Ajv2020): InputValidator {
  const validate = ajv.compile(schema);
  return (input) => (validate(input) ? undefined : describe(validate.errors?.[0], input));
}

function newAjv(options: Options = {}): Ajv2020 {
  const regExp = Object.assign((pattern: string) => linearRegExp(pattern), { code: "RE2JS" });
  // Optimised code runs no faster on inputs this small, and takes longer to make.
  const code = { regExp, optimize: false };
  return new Ajv2020({ strict: true, allErrors: false, verbose: true, code, ...options });
}

/**
 * RE2JS is half a megabyte that only a schema with a pattern needs. Ajv tells compiled patterns apart by `toString`: two
 * that say the same are taken for one.
 */
function linearRegExp(pattern: string): { test(text: string): boolean; toString(): string } {
  const { RE2JS } = createRequire(import.meta.url)("re2js") as typeof Re2js;
  const compiled = RE2JS.compile(pattern);
  return { test: (text) => compiled.matcher(text).find(), toString: () => pattern };
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

import { createRequire } from "node:module";
import type * as Ajv from "ajv/dist/2020.js";
import type * as Re2js from "re2js";
import { RuiZNError } from "../errors.ts";
import type { BaseTool } from "./base-tool.ts";
import { isOwnSchema, type OwnSchema } from "./own-schema.ts";
import { type SchemaProblem, schemaProblem } from "./schema-problem.ts";

/** `undefined` when the input is valid; else one line that names the field, the value and the rule. */
export type InputValidator = (input: unknown) => string | undefined;

const SCHEMA_MAX_BYTES = 65_536;
const VALUE_SHOWN_MAX_CHARS = 80;

/**
 * Compiles a tool's input schema in ajv's strict mode (JSON Schema 2020-12). Patterns run on RE2, so that neither a
 * hostile schema nor a hostile value can stall the main thread. The schema of a built-in tool (one with a `body`) is
 * ours and held valid by a test: where it keeps to what own-schema.ts understands, ajv is not even loaded.
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
  if (tool.body !== undefined && isOwnSchema(schema)) return (input) => ownProblem(input, schema);
  try {
    return compile(schema);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error), error);
  }
}

function ownProblem(input: unknown, schema: OwnSchema): string | undefined {
  const problem = schemaProblem(input, schema, (pattern, text) => linearRegExp(pattern).test(text));
  return problem && described(problem);
}

function compile(schema: object): InputValidator {
  const validate = newAjv().compile(schema);
  return (input) => (validate(input) ? undefined : describe(validate.errors?.[0], input));
}

/** Loaded for the tools of others alone: it takes longer than everything else that a run loads. */
function newAjv(): Ajv.Ajv2020 {
  const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as typeof Ajv;
  const regExp = Object.assign(linearRegExp, { code: "RE2JS" });
  return new Ajv2020({ strict: true, allErrors: false, verbose: true, code: { regExp } });
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

function describe(error: Ajv.ErrorObject | undefined, input: unknown): string {
  if (!error) return "the input is not valid";
  const { instancePath: at, message = "is not valid", params, data } = error;
  const extra = error.keyword === "additionalProperties" ? String(params["additionalProperty"]) : undefined;
  return described({
    at,
    rule: message,
    value: at === "" ? input : data,
    ...(extra !== undefined && { extra }),
  });
}

function described({ at, rule, value, extra }: SchemaProblem): string {
  const field = at === "" ? "the input" : at.slice(1).replaceAll("/", ".");
  return `${field} ${rule}${extra === undefined ? "" : ` (${extra})`}; got ${shown(value)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > VALUE_SHOWN_MAX_CHARS ? `${text.slice(0, VALUE_SHOWN_MAX_CHARS)}…` : text;
}

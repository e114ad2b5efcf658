import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import type * as Ajv from "ajv/dist/2020.js";
import { COMPILED_SCHEMAS } from "./compiled-schemas.ts";
import { checkedRegExp } from "./linear-reg-exp.ts";

/** JSON Schema 2020-12 in ajv's strict mode, but for two rules that forbid what schemas of tools say all the time. */
export const AJV_OPTIONS = {
  strict: true,
  strictTuples: false,
  allowUnionTypes: true,
  allErrors: false,
  logger: false,
} as const;

/** True when the value is valid; else `errors` says what is wrong. */
export interface SchemaCheck {
  (value: unknown): boolean;
  errors?: Ajv.ErrorObject[] | null;
}

/** What a compiled schema is found by: the hash of all it says. */
export function schemaKey(schemaText: string): string {
  return createHash("sha256").update(schemaText).digest("base64url");
}

/** The check that the build has made of this schema, or one that is compiled now. @throws Error for a bad schema. */
export function schemaCheck(schema: object, schemaText = JSON.stringify(schema)): SchemaCheck {
  return COMPILED_SCHEMAS[schemaKey(schemaText)] ?? compile(schema);
}

function compile(schema: object): SchemaCheck {
  const { Ajv2020 } = createRequire(import.meta.url)("ajv/dist/2020.js") as typeof Ajv;
  const regExp = Object.assign(checkedRegExp, { code: "RE2JS" });
  return new Ajv2020({ ...AJV_OPTIONS, code: { regExp } }).compile(schema) as SchemaCheck;
}

/** The value that a JSON pointer (RFC 6901) leads to. */
export function valueAt(value: unknown, pointer: string): unknown {
  const keys = pointer.split("/").slice(1);
  return keys.reduce<unknown>(
    (inner, key) => (inner as Record<string, unknown>)[key.replaceAll("~1", "/").replaceAll("~0", "~")],
    value,
  );
}

/**
 * The part of JSON Schema 2020-12 that our own schemas use: those of the built-in tools and of a worker's reply. To
 * compile them with ajv costs every run more than its tools do, so they are interpreted here. Tests hold verdict and
 * words equal to ajv's, which checks every schema that is not ours.
 */
export interface OwnSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly oneOf?: readonly OwnSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly prefixItems?: readonly OwnSchema[];
  readonly items?: OwnSchema | false;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OwnSchema>>;
  readonly additionalProperties?: false;
  readonly description?: string;
}

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isText = (value: unknown): boolean => typeof value === "string";
const isScalar = (value: unknown): boolean => value === null || typeof value !== "object";
const areAll = (holds: (value: unknown) => boolean) => (value: unknown) =>
  Array.isArray(value) && value.every(holds);

const KEYWORDS: { readonly [Keyword in keyof Required<OwnSchema>]: (value: unknown) => boolean } = {
  type: (value) => isText(value) || areAll(isText)(value),
  const: isScalar,
  enum: areAll(isScalar),
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  minLength: isCount,
  maxLength: isCount,
  pattern: isText,
  oneOf: areAll(isOwnSchema),
  minItems: isCount,
  maxItems: isCount,
  prefixItems: areAll(isOwnSchema),
  items: (value) => value === false || isOwnSchema(value),
  required: areAll(isText),
  properties: (value) => isPlainObject(value) && Object.values(value).every(isOwnSchema),
  additionalProperties: (value) => value === false,
  description: isText,
};

/** Whether a schema says nothing but what is understood here. */
export function isOwnSchema(schema: unknown): schema is OwnSchema {
  if (!isPlainObject(schema)) return false;
  return Object.entries(schema).every(
    ([keyword, value]) => Object.hasOwn(KEYWORDS, keyword) && KEYWORDS[keyword as keyof OwnSchema](value),
  );
}

function isPlainObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

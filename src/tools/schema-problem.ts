import type { OwnSchema } from "./own-schema.ts";

export interface SchemaProblem {
  /** JSON pointer of the value; empty for the whole. */
  at: string;
  rule: string;
  value: unknown;
  /** The property that is one too many. */
  extra?: string;
}

/** Whether text matches a pattern, in linear time. */
export type PatternTest = (pattern: string, text: string) => boolean;

/** The first thing that is wrong with a value that came from JSON; undefined when nothing is. */
export function schemaProblem(
  value: unknown,
  schema: OwnSchema,
  matches: PatternTest,
): SchemaProblem | undefined {
  return new Check(matches).problem(value, schema, "");
}

class Check {
  readonly #matches: PatternTest;

  constructor(matches: PatternTest) {
    this.#matches = matches;
  }

  problem(value: unknown, schema: OwnSchema, at: string): SchemaProblem | undefined {
    const rule = typeRule(value, schema) ?? this.#ownRule(value, schema) ?? valueRule(value, schema);
    if (rule !== undefined) return { at, rule, value };
    const branches = schema.oneOf && this.#oneOf(value, schema.oneOf, at);
    if (branches) return branches;
    if (Array.isArray(value)) return this.#array(value, schema, at);
    return typeof value === "object" && value !== null ? this.#object(value, schema, at) : undefined;
  }

  #ownRule(value: unknown, schema: OwnSchema): string | undefined {
    if (typeof value === "number") return numberRule(value, schema);
    if (typeof value !== "string") return undefined;
    const tooLong = lengthRule(value, schema);
    if (tooLong !== undefined || schema.pattern === undefined) return tooLong;
    return this.#matches(schema.pattern, value) ? undefined : `must match pattern "${schema.pattern}"`;
  }

  /** When no branch fits, the first one's problem is told. */
  #oneOf(value: unknown, branches: readonly OwnSchema[], at: string): SchemaProblem | undefined {
    const problems = branches.map((branch) => this.problem(value, branch, at));
    const fitting = problems.filter((problem) => problem === undefined).length;
    if (fitting === 1) return undefined;
    const rule = "must match exactly one schema in oneOf";
    return problems.find((problem) => problem !== undefined && fitting === 0) ?? { at, rule, value };
  }

  #array(value: readonly unknown[], schema: OwnSchema, at: string): SchemaProblem | undefined {
    const { minItems = 0, maxItems = Infinity, prefixItems = [], items } = schema;
    const rule = (bound: string) => ({ at, rule: `must NOT have ${bound} items`, value });
    if (value.length > maxItems) return rule(`more than ${maxItems}`);
    if (value.length < minItems) return rule(`fewer than ${minItems}`);
    for (const [index, item] of value.entries()) {
      const schemaOfItem = prefixItems[index] ?? items;
      if (schemaOfItem === false) return rule(`more than ${prefixItems.length}`);
      const problem = schemaOfItem && this.problem(item, schemaOfItem, `${at}/${index}`);
      if (problem) return problem;
    }
    return undefined;
  }

  #object(value: object, schema: OwnSchema, at: string): SchemaProblem | undefined {
    const { required = [], properties = {}, additionalProperties } = schema;
    const missing = required.find((key) => !Object.hasOwn(value, key));
    if (missing !== undefined) return { at, rule: `must have required property '${missing}'`, value };
    if (additionalProperties === false) {
      const extra = Object.keys(value).find((key) => !Object.hasOwn(properties, key));
      if (extra !== undefined) return { at, rule: "must NOT have additional properties", value, extra };
    }
    for (const [key, schemaOfKey] of Object.entries(properties)) {
      if (!Object.hasOwn(value, key)) continue;
      const problem = this.problem((value as Record<string, unknown>)[key], schemaOfKey, `${at}/${key}`);
      if (problem) return problem;
    }
    return undefined;
  }
}

function typeRule(value: unknown, { type }: OwnSchema): string | undefined {
  if (type === undefined) return undefined;
  const types = typeof type === "string" ? [type] : type;
  return types.some((name) => isOfType(value, name)) ? undefined : `must be ${types.join(",")}`;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

function numberRule(value: number, { minimum, maximum }: OwnSchema): string | undefined {
  if (maximum !== undefined && value > maximum) return `must be <= ${maximum}`;
  return minimum !== undefined && value < minimum ? `must be >= ${minimum}` : undefined;
}

function lengthRule(value: string, { minLength = 0, maxLength = Infinity }: OwnSchema): string | undefined {
  // Characters are code points: counted only where the number of code units does not decide.
  if (value.length <= maxLength && value.length >= minLength * 2) return undefined;
  const length = [...value].length;
  if (length > maxLength) return `must NOT have more than ${maxLength} characters`;
  return length < minLength ? `must NOT have fewer than ${minLength} characters` : undefined;
}

function valueRule(value: unknown, schema: OwnSchema): string | undefined {
  if ("const" in schema && value !== schema.const) return "must be equal to constant";
  if (!schema.enum || schema.enum.includes(value)) return undefined;
  return "must be equal to one of the allowed values";
}

import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FAILED_SCHEMA, OK_SCHEMA } from "../../src/sandbox/recheck/reply-schema.ts";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { isOwnSchema, type OwnSchema } from "../../src/tools/own-schema.ts";
import { schemaProblem } from "../../src/tools/schema-problem.ts";

const SCHEMAS: [string, OwnSchema][] = [
  ...[...readTools(), ...writeTools()].map(({ name, inputSchema }): [string, OwnSchema] => [
    name,
    inputSchema as OwnSchema,
  ]),
  ["a reply that went well", OK_SCHEMA],
  ["a reply that failed", FAILED_SCHEMA],
];

const JUNK = fc.constantFrom<unknown>(
  null,
  true,
  false,
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  2 ** 70,
  "",
  "a",
  "😀",
  "x".repeat(1_001),
  "read",
  "text",
  [],
  [1],
  ["a", ""],
  {},
  { text: "a" },
  { type: "text" },
);

/** Values that fit the schema more often than not, with something wrong here and there. */
function near(schema: OwnSchema): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 40, arbitrary: fitting(schema) }, { weight: 1, arbitrary: JUNK });
}

function fitting(schema: OwnSchema): fc.Arbitrary<unknown> {
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.oneOf) return fc.oneof(...schema.oneOf.map(near));
  const type = typeof schema.type === "string" ? schema.type : schema.type?.[0];
  if (type === "object") return object(schema);
  if (type === "array") return array(schema);
  if (type === "boolean") return fc.boolean();
  if (type === "string") return fc.constantFrom("a", "src/a.ts", "main..topic", "日本", "--exec");
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
  const beside = fc.constantFrom(minimum - 1, maximum + 2, minimum + 0.5);
  return fc.oneof({ weight: 20, arbitrary: fc.constantFrom(minimum, maximum, minimum + 1) }, beside);
}

function array({ items, prefixItems, maxItems = 3 }: OwnSchema): fc.Arbitrary<unknown[]> {
  if (prefixItems) {
    const tuple = fc.tuple(...prefixItems.map(near));
    return fc.oneof(tuple, fc.array(fc.constant(1), { maxLength: 3 }));
  }
  return fc.array(near(items || {}), { maxLength: Math.min(maxItems + 1, 22) });
}

function object({ properties = {}, required = [] }: OwnSchema): fc.Arbitrary<object> {
  const model = Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, near(of)]));
  const usual = fc.record(model, { requiredKeys: [...required] });
  const lacking = fc.record(model, { requiredKeys: [] });
  const extra = usual.map((fields) => ({ ...fields, surprise: 1 }));
  return fc.oneof({ weight: 8, arbitrary: usual }, lacking, extra);
}

function words(error: Pick<ErrorObject, "instancePath" | "message" | "params"> | undefined): string {
  return `${error?.instancePath}: ${error?.message} ${error?.params["additionalProperty"]}`;
}

describe("our own schemas, interpreted", () => {
  it.each(SCHEMAS)("are understood in full: %s", (_, schema) => {
    expect(isOwnSchema(schema)).toBe(true);
  });

  it.each(SCHEMAS)("give ajv's verdict in ajv's words: %s", (_, schema) => {
    const ajv = new Ajv2020({ strict: true, strictTuples: false, allowUnionTypes: true });
    const validate = ajv.compile(schema);
    const verdicts = { good: 0, bad: 0 };
    fc.assert(
      fc.property(near(schema), (value) => {
        const good = validate(value);
        verdicts[good ? "good" : "bad"] += 1;
        const problem = schemaProblem(value, schema, (pattern, text) => new RegExp(pattern, "u").test(text));
        if (good) expect(problem).toBeUndefined();
        else
          expect(problem && `${problem.at}: ${problem.rule} ${problem.extra}`).toBe(
            words(validate.errors?.[0]),
          );
      }),
      { numRuns: 1_000 },
    );
    expect(verdicts.good).toBeGreaterThan(10);
    expect(verdicts.bad).toBeGreaterThan(10);
  });

  it.each([
    [{ type: "object", patternProperties: {} }],
    [{ type: "object", properties: { a: { format: "date" } } }],
    [{ type: "object", additionalProperties: { type: "string" } }],
    [{ type: "array", items: { not: {} } }],
    [{ const: { a: 1 } }],
    [{ oneOf: [{ $ref: "#" }] }],
    [true],
  ])("are not taken for it when they say more: %j", (schema) => {
    expect(isOwnSchema(schema)).toBe(false);
  });
});

import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { FAILED_SCHEMA, OK_SCHEMA } from "../../src/sandbox/recheck/reply-schema.ts";
import { readTools } from "../../src/tools/built-in.ts";
import { compileInputSchema } from "../../src/tools/input-schema.ts";

/** As a tool that is not built in: measured against the meta-schema when it is compiled. */
function foreign(inputSchema: object) {
  return compileInputSchema({ name: "mine", inputSchema: inputSchema as { type: "object" } });
}

describe("a tool's input schema", () => {
  it.each(readTools().map((tool) => [tool.name, tool] as const))("is valid for %s", (_, tool) => {
    expect(foreign(tool.inputSchema as object)({ surprise: 1 })).toMatch(/surprise|required/);
  });

  it("gives the same verdicts whether it is a built-in's or not", () => {
    for (const tool of readTools()) {
      const built = compileInputSchema(tool);
      const measured = foreign(tool.inputSchema as object);
      for (const input of [
        {},
        { path: "a" },
        { path: "" },
        { path: 1 },
        { pattern: "a", x: 1 },
        null,
        [],
        { depth: 0 },
      ]) {
        expect(built(input)).toBe(measured(input));
      }
    }
  });

  it("names the field, the rule and the value", () => {
    const validate = foreign({ type: "object", properties: { n: { type: "integer", minimum: 1 } } });
    expect(validate({ n: 0 })).toBe("n must be >= 1; got 0");
  });

  it("holds each property to its own pattern", () => {
    const text = (pattern: string) => ({ type: "string", pattern });
    const validate = foreign({ type: "object", properties: { a: text("^a$"), b: text("^b$") } });
    expect([validate({ a: "a", b: "b" }), validate({ a: "b" }), validate({ b: "a" })]).toEqual([
      undefined,
      'a must match pattern "^a$"; got "b"',
      'b must match pattern "^b$"; got "a"',
    ]);
  });

  it.each([
    ["a name that is no text", { type: "object", required: [1] }],
    ["an unknown type", { type: "object", properties: { a: { type: "strng" } } }],
    ["an unknown keyword", { type: "object", propertis: {} }],
    ["a malformed pattern", { type: "object", properties: { a: { type: "string", pattern: "(" } } }],
    ["another type at the top", { type: "array" }],
    ["64 KiB and more", { type: "object", description: "x".repeat(70_000) }],
  ])("is refused at once for %s", (_, schema) => {
    expect(() => foreign(schema)).toThrow(expect.objectContaining({ code: "tool_invalid" }));
  });

  it("matches a hostile pattern in linear time", () => {
    const validate = foreign({
      type: "object",
      properties: { a: { type: "string", pattern: "^(x+x+)+y$" } },
    });
    expect(validate({ a: "x".repeat(5_000) })).toContain("must match pattern");
  });
});

describe("the schemas of a worker's reply", () => {
  it("are valid under the meta-schema that the run does not load", () => {
    const ajv = new Ajv2020({ strict: true, strictTuples: false, allowUnionTypes: true });
    for (const schema of [OK_SCHEMA, FAILED_SCHEMA]) expect(ajv.validateSchema(schema, true)).toBe(true);
  });
});

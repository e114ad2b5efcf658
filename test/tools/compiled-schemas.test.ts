import { describe, expect, it } from "vitest";
import { FAILED_SCHEMA, OK_SCHEMA } from "../../src/sandbox/recheck/reply-schema.ts";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { type SchemaCheck, schemaCheck, schemaKey } from "../../src/tools/schema-check.ts";

const BUILT = new URL("../../dist/src/tools/compiled-schemas.js", import.meta.url).href;

const SCHEMAS: [string, object][] = [
  ...[...readTools(), ...writeTools()].map(({ name, inputSchema }): [string, object] => [
    name,
    inputSchema as object,
  ]),
  ["a reply that went well", OK_SCHEMA],
  ["a reply that failed", FAILED_SCHEMA],
];

const reply = { nonce: "n", data: {}, evidence: [], ok: true, content: [{ type: "text", text: "😀" }] };
const failed = { nonce: "n", data: {}, evidence: [], ok: false, error_type: "not_found", message: "no" };

const VALUES: unknown[] = [
  null,
  [],
  "a",
  {},
  { path: "a" },
  { path: "" },
  { path: 1 },
  { path: "a", ranges: [{ offset: 0, limit: 1 }] },
  { path: "a", surprise: 1 },
  { pattern: "a" },
  { pattern: "x".repeat(1_001) },
  { command: "show", rev: "main..topic" },
  { command: "show", rev: "--exec" },
  { items: [{ content: "a", status: "lost" }] },
  { items: [{ content: "a", status: "done" }] },
  { path: "a", content: "b" },
  { path: "a", edits: [{ old_string: "a", new_string: "b" }] },
  { patch: "--- a" },
  JSON.parse('{"path":"a","__proto__":1}'),
  reply,
  { ...reply, content: [{ type: "text", bytes: [0, 1, 2] }] },
  { ...reply, data: { bytes_total: null } },
  { ...reply, evidence: [{}] },
  failed,
  { ...failed, message: "" },
];

const verdict = (check: SchemaCheck | undefined, value: unknown) =>
  check?.(value) ? "valid" : check?.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`);

describe("the checks that the build compiles", async () => {
  const { COMPILED_SCHEMAS } = (await import(BUILT)) as { COMPILED_SCHEMAS: Record<string, SchemaCheck> };

  it("are those of all our own schemas, and no others", () => {
    const keys = SCHEMAS.map(([, schema]) => schemaKey(JSON.stringify(schema)));
    expect(Object.keys(COMPILED_SCHEMAS).toSorted()).toEqual(keys.toSorted());
  });

  it.each(SCHEMAS)("say what ajv says at run time: %s", (_, schema) => {
    const built = COMPILED_SCHEMAS[schemaKey(JSON.stringify(schema))];
    const verdicts = VALUES.map((value) => verdict(built, value));
    expect(verdicts).toEqual(VALUES.map((value) => verdict(schemaCheck(schema), value)));
    expect(new Set(verdicts.map((one) => one === "valid")).size).toBe(2);
  });
});

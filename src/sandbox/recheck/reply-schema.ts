import { type SchemaCheck, schemaCheck } from "../../tools/schema-check.ts";

const count = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

const text = closed({ type: { const: "text" }, text: { type: "string" } });

const range = closed({
  type: { const: "text" },
  bytes: { type: "array", prefixItems: [count, count], items: false, minItems: 2 },
});

const image = closed({
  type: { const: "image" },
  source: closed({
    type: { const: "base64" },
    media_type: { enum: ["image/png", "image/jpeg", "image/gif", "image/webp"] },
    data: { type: "string", minLength: 1 },
  }),
});

const evidence = closed(
  {
    access: { enum: ["read", "list", "write"] },
    real_path: { type: "string", minLength: 1 },
    dev: count,
    // 64 bits on some file systems: a number then, but not one that JavaScript holds exactly.
    ino: { type: "integer", minimum: 1, maximum: 2 ** 64 },
    nlink: count,
    bytes: count,
    by_name: { const: true },
  },
  ["by_name"],
);

const data = {
  type: "object",
  properties: {
    bytes_total: { type: ["integer", "null"], minimum: 0 },
    bytes_shown: count,
    truncated: { type: "boolean" },
  },
};

const shared = { nonce: { type: "string" }, data, evidence: { type: "array", items: evidence } };

export const OK_SCHEMA = closed({
  ...shared,
  ok: { const: true },
  content: { type: "array", items: { oneOf: [text, range, image] }, maxItems: 1_000 },
});

export const FAILED_SCHEMA = closed({
  ...shared,
  ok: { const: false },
  error_type: { type: "string" },
  message: { type: "string", minLength: 1 },
});

let checkOk: SchemaCheck | undefined;
let checkFailed: SchemaCheck | undefined;

/** What is wrong with the shape of a reply's head; undefined when nothing is. */
export function replyHeadShape(head: unknown): string | undefined {
  const failed = typeof head === "object" && head !== null && "ok" in head && head.ok === false;
  const check = failed ? (checkFailed ??= schemaCheck(FAILED_SCHEMA)) : (checkOk ??= schemaCheck(OK_SCHEMA));
  if (check(head)) return undefined;
  const problem = check.errors?.[0];
  return `${problem?.instancePath || "the head"} ${problem?.message ?? "is not valid"}`;
}

function closed(properties: Record<string, object>, optional: readonly string[] = []): object {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, required, additionalProperties: false };
}

import type { OwnSchema } from "../../tools/own-schema.ts";
import { schemaProblem } from "../../tools/schema-problem.ts";

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

/** What is wrong with the shape of a reply's head; undefined when nothing is. */
export function replyHeadShape(head: unknown): string | undefined {
  const failed = typeof head === "object" && head !== null && "ok" in head && head.ok === false;
  const problem = schemaProblem(head, failed ? FAILED_SCHEMA : OK_SCHEMA, noPattern);
  return problem && `${problem.at || "the head"} ${problem.rule}`;
}

function noPattern(): never {
  throw new Error("the schemas of a reply have no patterns");
}

function closed(properties: Record<string, OwnSchema>, optional: readonly string[] = []): OwnSchema {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, required, additionalProperties: false };
}

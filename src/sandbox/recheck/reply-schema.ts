import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

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

/** What is wrong with the shape of a reply's head; undefined when nothing is. Compiled when first needed. */
export const replyHeadShape = memoize(() => {
  // Our own schemas, held valid by a test: measuring them against the meta-schema would cost the run 50 ms of CPU.
  const ajv = new Ajv2020({
    strict: true,
    strictTuples: false,
    allowUnionTypes: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
  });
  const ok = ajv.compile(OK_SCHEMA);
  const failed = ajv.compile(FAILED_SCHEMA);
  return (head: unknown): string | undefined => {
    const said = typeof head === "object" && head !== null && "ok" in head ? head.ok : undefined;
    return said === false ? problem(failed, head) : problem(ok, head);
  };
});

function problem(validate: ValidateFunction, head: unknown): string | undefined {
  if (validate(head)) return undefined;
  const error = validate.errors?.[0];
  return `${error?.instancePath || "the head"} ${error?.message ?? "is not valid"}`;
}

function closed(
  properties: Record<string, unknown>,
  optional: readonly string[] = [],
): Record<string, unknown> {
  const required = Object.keys(properties).filter((key) => !optional.includes(key));
  return { type: "object", properties, required, additionalProperties: false };
}

function memoize<In, Out>(make: () => (input: In) => Out): (input: In) => Out {
  const made: ((input: In) => Out)[] = [];
  return (input) => (made[0] ??= make())(input);
}

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv } from "ajv";

const require = createRequire(import.meta.url);

/** What the published schema of SARIF 2.1.0 finds wrong with a log, one line each. */
export function sarifProblems(text: string): string[] {
  const log: unknown = JSON.parse(text);
  if (validate(log)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

const validate = compiled();

function compiled(): ReturnType<Ajv["compile"]> {
  const path = require.resolve("@microsoft/jest-sarif").replace(/index\.js$/, "");
  const schema = JSON.parse(readFileSync(`${path}schemas/sarif-2.1.0-rtm.5.json`, "utf8"));
  // Draft 4 differs from what ajv knows in these two keywords alone, as far as this schema uses it.
  const { $schema: _draft, id: _id, ...rest } = schema;
  return new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false, allErrors: true }).compile(
    rest,
  );
}

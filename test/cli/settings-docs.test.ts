import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { SETTING_KEYS, type SettingKind, SETTINGS } from "../../src/cli/settings-table.ts";

const DURATION = "^(\\d{1,9}(\\.\\d{1,3})?(ms|s|m|h))+$";

function schemaOf(kind: SettingKind): object {
  switch (kind.type) {
    case "text":
    case "path":
      return { type: "string" };
    case "count":
      return { type: "integer", minimum: 1 };
    case "amount":
      return { type: "number", exclusiveMinimum: 0 };
    case "duration":
      return { type: "string", pattern: DURATION };
    case "flag":
      return { type: "boolean" };
    case "list": {
      const items = kind.of ? { enum: kind.of } : { type: "string" };
      return { anyOf: [{ type: "array", items }, { type: "string" }] };
    }
    case "choice":
      return kind.orCount
        ? { anyOf: [{ enum: kind.of }, { type: "integer", minimum: 1 }] }
        : { enum: kind.of };
    default:
      return kind satisfies never;
  }
}

test("docs/settings.schema.json is the schema of the settings (vitest -u writes it)", async () => {
  const properties = Object.fromEntries(
    SETTING_KEYS.map((key) => [key, { description: describe(key), ...schemaOf(SETTINGS[key].kind) }]),
  );
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Settings of ruizn",
    type: "object",
    additionalProperties: false,
    properties: { $schema: { type: "string" }, ...properties },
  };
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot("../../docs/settings.schema.json");
  const validate = new Ajv2020({ allowUnionTypes: true }).compile(schema);
  expect(validate({ model: "m", timeout: "15m", allowed_tools: ["grep"], thinking: 2048 })).toBe(true);
  expect(validate({ max_step: 1 })).toBe(false);
});

function describe(key: keyof typeof SETTINGS): string {
  const { summary } = SETTINGS[key];
  return key === "log" ? "keep events.jsonl (true)" : summary;
}

test("docs/settings.md has a row for each setting, with its flag and its variables", () => {
  const page = readFileSync(new URL("../../docs/settings.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \| (.*?) \|/gm)].map((row) =>
    row.slice(1, 5),
  );
  expect(rows.map(([key, flags, variables, project]) => ({ key, flags, variables, project }))).toEqual(
    SETTING_KEYS.map((key) => ({
      key,
      flags: [SETTINGS[key].flag, ...(SETTINGS[key].aliases ?? [])].map((flag) => `\`--${flag}\``).join(" "),
      variables: SETTINGS[key].env.map((name) => `\`${name}\``).join(" "),
      project: SETTINGS[key].project,
    })),
  );
});

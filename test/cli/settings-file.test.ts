import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { RuiZNError } from "../../src/errors.ts";
import { readSettingsFile } from "../../src/cli/settings-file.ts";

const dir = mkdtempSync(join(tmpdir(), "ruizn settings ü "));
const path = join(dir, "settings.json");
const read = (required = true) => readSettingsFile(path, { required });

async function refusal(text: string | Uint8Array): Promise<{ code: string; message: string; hint?: string }> {
  writeFileSync(path, text);
  const error = await read().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof RuiZNError)) throw new Error("not refused", { cause: error });
  const { code, message, hint } = error;
  return { code, message, ...(hint !== undefined && { hint }) };
}

test("reads JSON with comments and trailing commas; paths are relative to the file", async () => {
  writeFileSync(
    path,
    `\ufeff{
  // a comment
  "$schema": "./settings.schema.json",
  "model": "some-model", "max_steps": 7, "timeout": "15m", "require_seal": true,
  "allowed_tools": ["read_file", "grep"], "log_dir": "runs", "thinking": 2048,
}`,
  );
  expect(await read()).toEqual({
    model: "some-model",
    max_steps: 7,
    timeout: 900_000,
    require_seal: true,
    allowed_tools: ["read_file", "grep"],
    log_dir: join(dir, "runs"),
    thinking: 2048,
  });
});

test("an unknown key is an error that names the key, the file and the line", async () => {
  expect(await refusal('{\n  "model": "m",\n  "max_step": 5\n}')).toEqual({
    code: "settings_invalid",
    message: `${path}:3: unknown key "max_step"`,
    hint: 'did you mean "max_steps"?',
  });
});

test("a wrong type is an error that names key, file, line, what is expected and what is there", async () => {
  expect(await refusal('{\n\n"max_steps": "7" }')).toEqual({
    code: "settings_invalid",
    message: `${path}:3: "max_steps" must be a whole number above 0; got "7"`,
  });
  expect((await refusal('{"timeout": 10}')).message).toBe(
    `${path}:1: "timeout" must be a time with its unit, such as 500ms, 10s, 15m or 1h30m, at most 24h; got 10`,
  );
  expect((await refusal('{"allowed_tools": {"a": [1]}}')).message).toContain('got {"a": [1]}');
});

test.each([
  ["a key given twice", '{"model": "a",\n"model": "b"}', ':2: "model" is given twice'],
  ["a broken file", '{"model": ', ":1: not JSON: ValueExpected"],
  ["an empty file", "", ":1: not JSON: ValueExpected"],
  ["a list", "[]", ":1: the settings must be one JSON object"],
  ["a prototype key", '{"__proto__": {"model": "x"}}', ':1: unknown key "__proto__"'],
  ["an inherited key", '{"constructor": 1}', ':1: unknown key "constructor"'],
])("%s is refused", async (_, text, message) => {
  expect((await refusal(text)).message).toBe(path + message);
});

test("too large, too deep, not UTF-8 and not a regular file are refused, and none of them blocks", async () => {
  expect((await refusal(`{"model": "${"x".repeat(70_000)}"}`)).message).toBe(
    `settings file ${path} is larger than 65536 bytes`,
  );
  expect((await refusal(`{"model": ${"[".repeat(30_000)}`)).code).toBe("settings_invalid");
  expect((await refusal(Buffer.from([0x7b, 0xff, 0x7d]))).message).toBe(
    `settings file ${path} is not UTF-8 text`,
  );
  const fifo = join(dir, "fifo");
  execFileSync("mkfifo", [fifo]);
  await expect(readSettingsFile(fifo, { required: false })).rejects.toMatchObject({
    message: `settings file ${fifo} is not a regular file`,
  });
  await expect(readSettingsFile(dir, { required: false })).rejects.toMatchObject({
    code: "settings_invalid",
  });
});

test("a file that need not be there may be missing; one that was named may not", async () => {
  const missing = join(dir, "no", "such.json");
  expect(await readSettingsFile(missing, { required: false })).toBeUndefined();
  await expect(readSettingsFile(missing, { required: true })).rejects.toMatchObject({
    message: `settings file ${missing} does not exist`,
  });
});

test("whatever stands in the file, it is read or refused, never anything else", async () => {
  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc.json().map((text) => text.slice(1)),
  );
  await fc.assert(
    fc.asyncProperty(json, async (text) => {
      writeFileSync(path, text);
      await read().catch((error: unknown) => expect(error).toBeInstanceOf(RuiZNError));
    }),
    { numRuns: 300 },
  );
});

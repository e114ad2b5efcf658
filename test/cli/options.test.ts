import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { type OptionSources, resolveOptions } from "../../src/cli/options.ts";

const base = mkdtempSync(join(tmpdir(), "ruizn-options-"));
const workspace = join(base, "workspace");
const managedSettings = join(base, "etc", "settings.json");
const projectFile = join(workspace, ".ruizn", "settings.json");
const userFile = join(base, "config", "ruizn", "settings.json");
const chosenFile = join(base, "chosen.json");

beforeEach(() => {
  for (const folder of [workspace, join(base, "etc"), join(base, "config")])
    rmSync(folder, { recursive: true, force: true });
  for (const file of [projectFile, userFile, managedSettings])
    mkdirSync(join(file, ".."), { recursive: true });
});

function put(file: string, settings: object): void {
  writeFileSync(file, JSON.stringify(settings));
}

function resolve(sources: Partial<OptionSources> = {}) {
  const env = { XDG_CONFIG_HOME: join(base, "config"), ...sources.env };
  return resolveOptions({
    flags: {},
    workspace,
    cwd: base,
    trustWorkspace: false,
    managedSettings,
    ciByItself: false,
    ...sources,
    env,
  });
}

test("flag > variable > --settings > trusted project > user", async () => {
  const steps: string[] = [];
  put(userFile, { model: "user" });
  steps.push((await resolve()).settings.model ?? "");
  put(projectFile, { model: "project" });
  steps.push((await resolve({ trustWorkspace: true })).settings.model ?? "");
  put(chosenFile, { model: "chosen" });
  const sources = { trustWorkspace: true, settingsFile: chosenFile };
  steps.push((await resolve(sources)).settings.model ?? "");
  steps.push((await resolve({ ...sources, env: { ANTHROPIC_MODEL: "anthropic" } })).settings.model ?? "");
  const env = { ANTHROPIC_MODEL: "anthropic", RUIZN_MODEL: "env" };
  steps.push((await resolve({ ...sources, env })).settings.model ?? "");
  steps.push((await resolve({ ...sources, env, flags: { model: "flag" } })).settings.model ?? "");
  expect(steps).toEqual(["user", "project", "chosen", "anthropic", "env", "flag"]);
});

test("without trust a project's file is not even read, and one line says so", async () => {
  writeFileSync(projectFile, "not JSON");
  expect(await resolve()).toMatchObject({
    settings: {},
    notices: [`${projectFile} is ignored: the workspace is not trusted (--trust-workspace reads it)`],
  });
});

test("a trusted project's file narrows what is about safety and cost, and cannot widen it", async () => {
  put(userFile, { sandbox: "workspace-write", max_steps: 10, timeout: "10m" });
  put(projectFile, {
    sandbox: "read-only",
    max_steps: 20,
    timeout: "5m",
    require_seal: true,
    disallowed_tools: ["grep"],
  });
  expect(await resolve({ trustWorkspace: true })).toMatchObject({
    settings: { sandbox: "read-only", max_steps: 10, timeout: 300_000, require_seal: true },
    rules: [{ disallowed: ["grep"], mode: "default" }],
  });
  put(userFile, {});
  put(projectFile, { sandbox: "workspace-write", require_seal: false, max_steps: 1000, tool_timeout: "1h" });
  expect((await resolve({ trustWorkspace: true })).settings).toEqual({ max_steps: 50, tool_timeout: 10_000 });
});

test.each(["base_url", "log_dir", "system_prompt", "log"])(
  "a project's file must not set %s",
  async (key) => {
    put(projectFile, { [key]: key === "log" ? false : "http://elsewhere" });
    await expect(resolve({ trustWorkspace: true })).rejects.toMatchObject({
      code: "settings_invalid",
      message: `${projectFile}: "${key}" is not for here: a project's file must not set it`,
    });
  },
);

test("the managed file narrows even what flags say, and no flag lifts its rules", async () => {
  put(managedSettings, {
    sandbox: "read-only",
    require_seal: true,
    log: true,
    max_steps: 5,
    timeout: "1m",
    disallowed_tools: ["grep"],
    permission_mode: "plan",
    fail_on: ["denied"],
  });
  const flags = {
    sandbox: "workspace-write",
    log: "false",
    max_steps: "100",
    allowed_tools: "grep,read_file",
    fail_on: "tool_error",
  };
  expect(await resolve({ flags })).toMatchObject({
    settings: {
      sandbox: "read-only",
      require_seal: true,
      log: true,
      max_steps: 5,
      timeout: 60_000,
      fail_on: ["tool_error", "denied"],
    },
    rules: [
      { allowed: ["grep", "read_file"], disallowed: [], mode: "default" },
      { disallowed: ["grep"], mode: "plan" },
    ],
  });
});

test("the managed file leaves alone what is narrower already", async () => {
  put(managedSettings, { sandbox: "workspace-write", require_seal: false, log: false, max_steps: 5 });
  const { settings } = await resolve({ flags: { max_steps: "3", require_seal: "true" } });
  expect(settings).toEqual({ max_steps: 3, require_seal: true });
});

test("a managed file that tries to set something is refused", async () => {
  put(managedSettings, { model: "other" });
  await expect(resolve()).rejects.toMatchObject({
    code: "settings_invalid",
    message: `${managedSettings}: "model" is not for here: the managed file can only narrow`,
  });
});

test("a bad flag is wrong usage, a bad variable an invalid setting; each is named with its value", async () => {
  await expect(resolve({ flags: { max_steps: "many" } })).rejects.toMatchObject({
    code: "usage_invalid",
    message: '--max-steps must be a whole number above 0; got "many"',
  });
  await expect(resolve({ env: { RUIZN_TIMEOUT: "10" } })).rejects.toMatchObject({
    code: "settings_invalid",
    message: expect.stringMatching(/^variable RUIZN_TIMEOUT must be a time with its unit.*; got "10"$/),
  });
});

test("an empty variable counts as unset; an empty flag does not", async () => {
  expect((await resolve({ env: { RUIZN_MODEL: "", ANTHROPIC_MODEL: "m" } })).settings.model).toBe("m");
  expect((await resolve({ flags: { allowed_tools: "" } })).rules).toEqual([
    { allowed: [], disallowed: [], mode: "default" },
  ]);
});

test("paths in flags and variables are relative to where the command was started", async () => {
  const { settings } = await resolve({
    flags: { log_dir: "runs" },
    env: { RUIZN_SYSTEM_PROMPT_FILE: "p.md" },
  });
  expect(settings).toEqual({ log_dir: join(base, "runs"), system_prompt_file: join(base, "p.md") });
});

test("a relative XDG_CONFIG_HOME is ignored, as its standard says", async () => {
  const home = join(base, "home");
  mkdirSync(join(home, ".config", "ruizn"), { recursive: true });
  put(join(home, ".config", "ruizn", "settings.json"), { model: "home" });
  expect((await resolve({ env: { XDG_CONFIG_HOME: "config", HOME: home } })).settings.model).toBe("home");
});

test("the hashes change with what they stand for and with nothing else", async () => {
  const plain = await resolve();
  const again = await resolve();
  const verbose = await resolve({ flags: { verbose: "true" } });
  const denied = await resolve({ flags: { disallowed_tools: "grep" } });
  expect(again).toEqual(plain);
  expect(verbose.policyHash).toBe(plain.policyHash);
  expect(new Set([plain, verbose, denied].map(({ settingsHash }) => settingsHash)).size).toBe(3);
  expect(denied.policyHash).not.toBe(plain.policyHash);
});

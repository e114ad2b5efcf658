import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { RuiZNError } from "../errors.ts";
import type { PolicyRules } from "../policy/rule-policy.ts";
import type { Secret } from "../redaction/redactor.ts";
import { secretsOf } from "../redaction/secrets-of.ts";
import { CI_BY_ITSELF, hardened, refuseTrust } from "./hardened.ts";
import { narrowed, rulesOf } from "./narrow.ts";
import { readSettingsFile } from "./settings-file.ts";
import { expected, resolvedPaths, valueFromText } from "./setting-value.ts";
import { SETTING_KEYS, type SettingKey, type Settings, SETTINGS } from "./settings-table.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The one place that reads the process's environment. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Flags as they were typed, by setting; a flag without a value is `"true"`, `--no-log` is `"false"`. */
export type FlagValues = Partial<Record<SettingKey, string>>;

export interface OptionSources {
  flags: FlagValues;
  env: Environment;
  /** Absolute path of the workspace. */
  workspace: string;
  /** Where the command was started: paths in flags and variables are relative to it. */
  cwd: string;
  settingsFile?: string;
  trustWorkspace: boolean;
  managedSettings: string;
  /** Nobody watches: a run is hardened unless somebody says no. */
  ciByItself: boolean;
}

export interface Options {
  settings: Settings;
  /** Every one of these must allow a tool call. */
  rules: PolicyRules[];
  /** SHA-256 of the settings in effect, and of the part that decides what tools may do. */
  settingsHash: string;
  policyHash: string;
  /** Values of the environment that must reach neither log, screen nor model. */
  secrets: Secret[];
  /** What the user should know about where settings came from, one line each. */
  notices: string[];
}

/**
 * Brings the settings together: flag, then variable, then --settings, then the project's file (only when the
 * workspace is trusted), then the user's; the managed file narrows the outcome.
 * @throws RuiZNError settings_invalid, usage_invalid
 */
export async function resolveOptions(sources: OptionSources): Promise<Options> {
  const notices: string[] = [];
  const chosen = await chosenSettings(sources);
  const typed = { ...chosen, ...envSettings(sources), ...flagSettings(sources) };
  const user = await readSettingsFile(userSettingsPath(sources.env), { required: false });
  const said = typed.ci ?? user?.ci;
  const ci = said ?? sources.ciByItself;
  const byItself = ci && said === undefined;
  if (byItself) notices.push(CI_BY_ITSELF);
  if (ci) refuseTrust(sources.trustWorkspace, { byItself });
  const project = await projectSettings(sources, notices);
  const managed = await managedSettings(sources.managedSettings);
  const trusted = { ...user, ...setBy(project) };
  const base = project ? narrowed(trusted, project) : trusted;
  const own = { ...base, ...typed };
  const asked = managed ? narrowed(own, managed) : own;
  const settings = ci ? hardened(asked) : asked;
  const rules = [own, project ?? {}, managed ?? {}].map(rulesOf).filter((set) => set !== undefined);
  const policy = {
    rules,
    sandbox: settings.sandbox ?? "read-only",
    require_seal: settings.require_seal ?? false,
    isolation: settings.isolation ?? null,
  };
  return {
    settings,
    rules,
    notices,
    secrets: secretsOf(sources.env),
    settingsHash: sha256(settings),
    policyHash: sha256(policy),
  };
}

function userSettingsPath(env: Environment): string {
  const xdg = env["XDG_CONFIG_HOME"] ?? "";
  const base = isAbsolute(xdg) ? xdg : join(env["HOME"] || homedir(), ".config");
  return join(base, "ruizn", "settings.json");
}

async function projectSettings(sources: OptionSources, notices: string[]): Promise<Settings | undefined> {
  const path = join(sources.workspace, ".ruizn", "settings.json");
  if (!sources.trustWorkspace) {
    if (await exists(path)) {
      notices.push(`${path} is ignored: the workspace is not trusted (--trust-workspace reads it)`);
    }
    return undefined;
  }
  const settings = await readSettingsFile(path, { required: false });
  refuseKeys(settings, path, (key) => SETTINGS[key].project === "never", "a project's file must not set it");
  return settings;
}

async function exists(path: string): Promise<boolean> {
  const { lstat } = await import("node:fs/promises");
  return lstat(path).then(
    () => true,
    () => false,
  );
}

async function chosenSettings({ settingsFile, env, cwd }: OptionSources): Promise<Settings | undefined> {
  const path = settingsFile ?? env["RUIZN_SETTINGS"];
  if (path === undefined || path === "") return undefined;
  return readSettingsFile(resolve(cwd, path), { required: true });
}

async function managedSettings(path: string): Promise<Settings | undefined> {
  const settings = await readSettingsFile(path, { required: false });
  refuseKeys(settings, path, (key) => SETTINGS[key].managed === "never", "the managed file can only narrow");
  return settings;
}

function refuseKeys(
  settings: Settings | undefined,
  path: string,
  refuses: (key: SettingKey) => boolean,
  why: string,
): void {
  const key = SETTING_KEYS.find((candidate) => settings?.[candidate] !== undefined && refuses(candidate));
  if (key)
    throw new RuiZNError("settings_invalid", `${path}: ${JSON.stringify(key)} is not for here: ${why}`);
}

/** What a trusted project's file may set outright; the rest of it narrows. */
function setBy(project: Settings | undefined): Settings {
  const keys = SETTING_KEYS.filter((key) => project?.[key] !== undefined && SETTINGS[key].project === "sets");
  return Object.fromEntries(keys.map((key) => [key, project?.[key]])) as Settings;
}

function envSettings({ env, cwd }: OptionSources): Settings {
  const found = SETTING_KEYS.flatMap((key) => {
    const name = SETTINGS[key].env.find((candidate) => (env[candidate] ?? "") !== "");
    return name === undefined
      ? []
      : [[key, fromText(key, env[name] ?? "", cwd, `variable ${name}`)] as const];
  });
  return Object.fromEntries(found) as Settings;
}

function flagSettings({ flags, cwd }: OptionSources): Settings {
  const found = SETTING_KEYS.flatMap((key) => {
    const text = flags[key];
    return text === undefined ? [] : [[key, fromText(key, text, cwd, `--${SETTINGS[key].flag}`)] as const];
  });
  return Object.fromEntries(found) as Settings;
}

function fromText(key: SettingKey, text: string, cwd: string, from: string): unknown {
  const { kind } = SETTINGS[key];
  const value = valueFromText(kind, text);
  if (value === undefined) {
    const code = from.startsWith("--") ? "usage_invalid" : "settings_invalid";
    throw new RuiZNError(code, `${from} must be ${expected(kind)}; got ${JSON.stringify(text.slice(0, 80))}`);
  }
  return resolvedPaths(kind, value, cwd);
}

function sha256(value: object): string {
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256").update(JSON.stringify(entries)).digest("hex");
}

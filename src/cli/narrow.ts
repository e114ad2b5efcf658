import { LIMITS } from "../limits.ts";
import type { PolicyRules } from "../policy/rule-policy.ts";
import { SETTING_KEYS, type SettingKey, type Settings } from "./settings-table.ts";

const DEFAULTS: Settings = {
  max_steps: LIMITS.maxSteps,
  tool_timeout: LIMITS.toolTimeoutMs,
  max_tries: 7,
  first_byte_timeout: 60_000,
  idle_timeout: 300_000,
  log: true,
};

/**
 * What a layer that may only narrow leaves of the settings. Tool rules are not merged but stand beside the others:
 * every set of rules must allow a call.
 */
export function narrowed(current: Settings, by: Settings): Settings {
  const result: Settings = { ...current };
  for (const key of SETTING_KEYS) {
    const value = narrowedValue(key, { ...DEFAULTS, ...current }, by);
    if (value !== undefined) Object.assign(result, { [key]: value });
  }
  return result;
}

function narrowedValue(key: SettingKey, current: Settings, by: Settings): unknown {
  if (by[key] === undefined) return undefined;
  switch (key) {
    case "max_tokens":
    case "max_steps":
    case "max_total_tokens":
    case "max_budget_usd":
    case "max_tool_calls":
    case "max_repeated_calls":
    case "max_bytes_read":
    case "max_bytes_sent":
    case "timeout":
    case "tool_timeout":
    case "max_tries":
    case "first_byte_timeout":
    case "idle_timeout":
      return Math.min(current[key] ?? Infinity, by[key] ?? Infinity);
    case "sandbox":
      return by.sandbox === "read-only" ? "read-only" : undefined;
    case "isolation":
      return by.isolation === "process" ? "process" : undefined;
    case "require_seal":
    case "log":
      return by[key] === true ? true : undefined;
    case "fail_on":
      return [...new Set([...(current.fail_on ?? []), ...(by.fail_on ?? [])])];
    default:
      return undefined;
  }
}

/** The tool rules of one layer, or undefined when it has none. */
export function rulesOf(settings: Settings): PolicyRules | undefined {
  const { allowed_tools: allowed, disallowed_tools: disallowed, permission_mode: mode } = settings;
  if (!allowed && !disallowed && !mode) return undefined;
  return { ...(allowed && { allowed }), disallowed: disallowed ?? [], mode: mode ?? "default" };
}

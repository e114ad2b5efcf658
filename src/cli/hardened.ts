import { RuiZNError } from "../errors.ts";
import type { Settings } from "./settings-table.ts";

/** Budgets of a run that nobody watches, where nothing else is said. */
const BUDGETS: Settings = { timeout: 1_800_000, max_total_tokens: 2_000_000, max_tool_calls: 500 };

/** What `--ci` makes of the settings: no flag, variable or file beside it takes any of this away. */
export function hardened(settings: Settings): Settings {
  return { ...BUDGETS, ...settings, require_seal: true, isolation: "process", color: "never" };
}

/** A checkout has no say in how it is looked at. @throws RuiZNError usage_invalid */
export function refuseTrust(trustWorkspace: boolean): void {
  if (!trustWorkspace) return;
  throw new RuiZNError("usage_invalid", "--ci reads nothing that the workspace says about configuration", {
    hint: "leave out --trust-workspace (RUIZN_TRUST_WORKSPACE)",
  });
}

import { RuiZNError } from "../errors.ts";
import type { Settings } from "./settings-table.ts";

/** Budgets of a run that nobody watches, where nothing else is said. */
const BUDGETS: Settings = { timeout: 1_800_000, max_total_tokens: 2_000_000, max_tool_calls: 500 };

/** What `--ci` makes of the settings: no flag, variable or file beside it takes any of this away. */
export function hardened(settings: Settings): Settings {
  return { ...BUDGETS, ...settings, ci: true, require_seal: true, isolation: "process", color: "never" };
}

/** What is told when nobody has asked for it. */
export const CI_BY_ITSELF =
  "CI is set and there is no terminal, so this run is hardened as with --ci (--no-ci or RUIZN_CI=0 leaves it off)";

/** A checkout has no say in how it is looked at. @throws RuiZNError usage_invalid */
export function refuseTrust(trustWorkspace: boolean, { byItself }: { byItself: boolean }): void {
  if (!trustWorkspace) return;
  const why = byItself ? "CI is set, so --ci is on, and it" : "--ci";
  throw new RuiZNError("usage_invalid", `${why} reads nothing that the workspace says about configuration`, {
    hint: `leave out --trust-workspace (RUIZN_TRUST_WORKSPACE)${byItself ? ", or give --no-ci" : ""}`,
  });
}

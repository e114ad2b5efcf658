import type { Environment } from "./options.ts";

/**
 * Whether text for this stream may carry ANSI colour: --color, then FORCE_COLOR, then NO_COLOR (empty counts as
 * unset), then TERM=dumb and CI, then whether it is a terminal.
 */
export function useColor(
  stream: { isTerminal: boolean },
  choice: "auto" | "always" | "never",
  env: Environment,
): boolean {
  if (choice !== "auto") return choice === "always";
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0" && forced !== "false";
  if (env["NO_COLOR"] !== undefined && env["NO_COLOR"] !== "") return false;
  if (env["TERM"] === "dumb") return false;
  return stream.isTerminal && !isCi(env);
}

function isCi(env: Environment): boolean {
  const ci = env["CI"] ?? "";
  return ci !== "" && ci !== "0" && ci !== "false";
}

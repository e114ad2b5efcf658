type Environment = Readonly<Record<string, string | undefined>>;

/** Whose log the output is shown in, as far as its format is known here. */
export type CiPlatform = "github" | "gitlab";

export function ciPlatform(env: Environment): CiPlatform | undefined {
  if (env["GITHUB_ACTIONS"] === "true") return "github";
  return env["GITLAB_CI"] === "true" ? "gitlab" : undefined;
}

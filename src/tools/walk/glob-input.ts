import { ToolFailure } from "../tool-body.ts";
import { showPath } from "../text/show.ts";
import { type GlobOptions, GlobPattern } from "./glob-pattern.ts";

/**
 * A glob that the model wrote.
 * @throws ToolFailure permission_error when it climbs out or is absolute, invalid_input when it is malformed.
 */
export function globFromInput(glob: string, options: Pick<GlobOptions, "hidden">): GlobPattern {
  const climbs = glob.split("/").includes("..");
  if (climbs || glob.startsWith("/")) {
    const why = climbs ? "has a .. segment" : "is absolute";
    throw new ToolFailure(
      "permission_error",
      `the pattern ${showPath(glob)} ${why}; write it relative to path`,
    );
  }
  if (/[\u0000-\u001f\u007f]/.test(glob)) {
    throw new ToolFailure("invalid_input", `the pattern ${showPath(glob)} has control characters`);
  }
  try {
    return new GlobPattern(glob.replace(/^(?:\.\/+)+/, ""), { ...options, braces: true });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new ToolFailure("invalid_input", `the pattern ${showPath(glob)} is malformed: ${error.message}`);
  }
}

import type { ToolErrorType } from "../errors.ts";
import type { CaseRow } from "./case.ts";
import type { Stage } from "./stage.ts";

export type Outcomes = readonly (ToolErrorType | "ok")[];

export const PATH_LAYERS = ["main-guard", "worker-guard", "seal", "re-check"] as const;
export const OUT: Outcomes = ["permission_error"];
export const NEVER: Outcomes = ["permission_error", "invalid_input", "not_found"];

/** One call of a tool; what it must not do besides its outcome is looked for by the stage. */
export function one(
  id: string,
  title: string,
  call: {
    tool: string;
    input: (stage: Stage) => unknown;
    outcomes: Outcomes;
    arrange?: (stage: Stage) => void;
  },
): CaseRow {
  return {
    id,
    title,
    run: async (stage) => {
      call.arrange?.(stage);
      stage.expects(await stage.call(call.tool, call.input(stage)), call.outcomes);
    },
  };
}

/** A patch that makes this file. */
export const creation = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+x\n`;

/** A patch that changes the one line of a file. */
export const change = (before: string, after: string, line: string): string =>
  `--- a/${before}\n+++ b/${after}\n@@ -1 +1 @@\n-${line}\n+x\n`;

import type { ToolErrorType } from "../errors.ts";
import type { CaseRow } from "./case.ts";
import type { CallOptions, Stage } from "./stage.ts";

export interface HostileOptions extends Partial<CaseRow> {
  /** Outcomes that the call may have; left out, any failure and a success that does not say ESCAPED. */
  outcomes?: readonly (ToolErrorType | "ok")[];
  /** What the code gets as `args`, besides the root, what is outside, and where it may not connect to. */
  args?: (stage: Stage) => object;
  call?: CallOptions & { write?: true };
  /** Looked at after the call. */
  then?: (stage: Stage) => Promise<void> | void;
}

/**
 * One piece of hostile code, run as a tool of one's own. It may use `require`, `load` (import), `context` and `args`,
 * and returns a text with the word ESCAPED when something let it through.
 */
export function hostile(id: string, title: string, code: string, options: HostileOptions = {}): CaseRow {
  const { outcomes, args, call, then, ...more } = options;
  return {
    id,
    title,
    ...more,
    run: async (stage) => {
      const { root, outside } = stage.tree;
      const result = await stage.attack(code, { ...call, args: { root, outside, ...args?.(stage) } });
      if (outcomes) stage.expects(result, outcomes);
      const text = JSON.stringify([result.content, result.data]);
      stage.holds(!text.includes("ESCAPED"), `it got through: ${text.slice(0, 200)}`);
      await then?.(stage);
    },
  };
}

/** Code that passes on what `attempt` came to: done is an escape. */
export function mustFail(attempt: string): string {
  return `try { await (async () => { ${attempt} })(); } catch (error) { return "refused: " + (error?.code ?? error); }
return "ESCAPED";`;
}

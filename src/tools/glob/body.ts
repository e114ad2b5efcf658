import { LIMITS } from "../../limits.ts";
import type { BodyResult, ToolBody } from "../tool-body.ts";
import { BoundedLines } from "../text/bounded-lines.ts";
import { showPath, showPlural } from "../text/show.ts";
import { globFromInput } from "../walk/glob-input.ts";
import type { GlobState } from "../walk/glob-pattern.ts";
import { IgnoreRules } from "../walk/ignore-rules.ts";
import { walkNotes } from "../walk/walk-notes.ts";
import { isCut, type WalkReport } from "../walk/walk-report.ts";
import { walkTree } from "../walk/walk-tree.ts";
import type { GlobInput } from "./spec.ts";

const DEFAULT_RESULTS = 1_000;

export const globBody: ToolBody<GlobInput> = (input, { workspace }) => {
  const pattern = globFromInput(input.pattern, { hidden: input.hidden === true });
  const start = workspace.openDirectory(input.path ?? ".");
  try {
    const rules = input.gitignore === false ? undefined : IgnoreRules.above(workspace, start.path);
    const lines = new BoundedLines({
      lines: input.max_results ?? DEFAULT_RESULTS,
      bytes: LIMITS.readDefaultBytes,
    });
    const report = walkTree<GlobState>({
      workspace,
      start,
      state: pattern.start,
      rules,
      // The pattern itself decides: `.github/*` names a dot, `*` does not.
      hidden: true,
      visit: ({ state, name, kind, path }) => {
        if (kind === "directory" || !pattern.accepts(state, name)) return "passed";
        return lines.add(showPath(path)) ? "shown" : "stop";
      },
      enter: ({ state, name }) => {
        const below = pattern.step(state, name);
        return below.length === 0 ? undefined : below;
      },
    });
    return resultOf(input, { lines, report, rules });
  } finally {
    start.close();
  }
};

function resultOf(
  input: GlobInput,
  found: { lines: BoundedLines; report: WalkReport; rules: IgnoreRules | undefined },
): BodyResult {
  const { lines, report, rules } = found;
  const notes = walkNotes(report, rules);
  if (lines.full) {
    notes.unshift(
      `The first ${showPlural(lines.count, "file")} only: use a narrower pattern or a larger max_results.`,
    );
  }
  if (lines.count === 0 && !lines.full) {
    notes.unshift(`No file matches ${showPath(input.pattern)}.`);
    if (report.ignored > 0)
      notes.push("Some entries are ignored by git; gitignore: false looks at them too.");
  }
  const content = [lines.count === 0 ? "" : lines.text(), notes.join(" ")].filter((text) => text !== "");
  const data = {
    matches: lines.count,
    bytes_total: lines.full ? null : lines.bytes,
    bytes_shown: lines.bytes,
    truncated: lines.full || isCut(report),
  };
  return { content: content.map((text) => ({ type: "text", text })), data };
}

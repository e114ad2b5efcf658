import { LIMITS } from "../../limits.ts";
import type { BodyResult, ToolBody } from "../tool-body.ts";
import { BoundedLines } from "../text/bounded-lines.ts";
import { showPath, showPlural } from "../text/show.ts";
import { IgnoreRules } from "../walk/ignore-rules.ts";
import { walkNotes } from "../walk/walk-notes.ts";
import { isCut, type WalkReport } from "../walk/walk-report.ts";
import { type Found, walkTree } from "../walk/walk-tree.ts";
import type { ListDirInput } from "./spec.ts";

const DEFAULT_ENTRIES = 1_000;

export const listDirBody: ToolBody<ListDirInput> = (input, { workspace }) => {
  const start = workspace.openDirectory(input.path ?? ".");
  try {
    const rules = input.gitignore === false ? undefined : IgnoreRules.above(workspace, start.path);
    const lines = new BoundedLines({
      lines: input.max_entries ?? DEFAULT_ENTRIES,
      bytes: LIMITS.readDefaultBytes,
    });
    const depth = input.depth ?? 1;
    const report = walkTree({
      workspace,
      start,
      state: true,
      rules,
      hidden: true,
      maxDepth: depth,
      visit: (found) => (lines.add(treeLine(found)) ? "shown" : "stop"),
      enter: (found) => (found.depth < depth ? true : undefined),
    });
    return resultOf(start.path, { lines, report, rules });
  } finally {
    start.close();
  }
};

function treeLine({ name, kind, depth }: Found<boolean>): string {
  const indent = "  ".repeat(depth - 1);
  if (kind === "directory") return `${indent}${showPath(name)}/`;
  if (kind === "symlink") return `${indent}${showPath(name)} -> (symbolic link)`;
  if (kind === "other") return `${indent}${showPath(name)} (special file)`;
  return kind === "unreadable" ? `${indent}${showPath(name)} (name is not UTF-8)` : indent + showPath(name);
}

function resultOf(
  path: string,
  listed: { lines: BoundedLines; report: WalkReport; rules: IgnoreRules | undefined },
): BodyResult {
  const { lines, report, rules } = listed;
  const notes = walkNotes(report, rules);
  if (lines.full) {
    notes.unshift(
      `The first ${showPlural(lines.count, "entry", "entries")} only: list a subdirectory, or use glob.`,
    );
  }
  if (report.ignored > 0) {
    notes.push(
      `${showPlural(report.ignored, "ignored entry", "ignored entries")} not shown (gitignore: false shows them).`,
    );
  }
  const text = lines.count === 0 && !lines.full ? "(no entries)" : lines.text();
  const content = [text, notes.join(" ")].filter((block) => block !== "");
  const data = {
    path,
    entries: lines.count,
    bytes_total: lines.full ? null : lines.bytes,
    bytes_shown: lines.bytes,
    truncated: lines.full || isCut(report),
    ignored: report.ignored,
  };
  return { content: content.map((block) => ({ type: "text", text: block })), data };
}

import { LIMITS } from "../../limits.ts";
import type { LinkText, Workspace } from "../../sandbox/guard/workspace.ts";
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
      visit: (found) => (lines.add(treeLine(found, workspace)) ? "shown" : "stop"),
      enter: (found) => (found.depth < depth ? true : undefined),
    });
    return resultOf(start.path, { lines, report, rules });
  } finally {
    start.close();
  }
};

function treeLine({ name, kind, depth, directory }: Found<boolean>, workspace: Workspace): string {
  const shown = "  ".repeat(depth - 1) + showPath(name);
  if (kind === "directory") return `${shown}/`;
  if (kind === "symlink") return `${shown} -> ${linkText(workspace.readLink(directory, name))}`;
  if (kind === "other") return `${shown} (special file)`;
  return kind === "unreadable" ? `${shown} (name is not UTF-8)` : shown;
}

function linkText(link: LinkText | undefined): string {
  if (!link) return "(symbolic link)";
  return `${showPath(link.target)}${link.leaves ? " (outside the workspace)" : ""}`;
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

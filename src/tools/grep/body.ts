import type { OpenedDirectory, Workspace } from "../../sandbox/guard/workspace.ts";
import type { BodyResult, ToolBody } from "../tool-body.ts";
import { showCount, showPath, showPlural } from "../text/show.ts";
import { IgnoreRules } from "../walk/ignore-rules.ts";
import { walkNotes } from "../walk/walk-notes.ts";
import { isCut, newWalkReport, type WalkReport } from "../walk/walk-report.ts";
import { type Found, openFound, type Visited, walkTree } from "../walk/walk-tree.ts";
import { FileFilter, type FilterState } from "./file-filter.ts";
import { FILE_MAX_BYTES, Search } from "./search.ts";
import type { GrepInput } from "./spec.ts";

export const grepBody: ToolBody<GrepInput> = (input, { workspace }) => {
  const search = new Search(input);
  const filter = new FileFilter(input.globs ?? [], input.type);
  const start = workspace.open(input.path ?? ".");
  try {
    if (start.kind === "file") {
      search.file(start);
      return resultOf(input, search, { report: newWalkReport(), rules: undefined });
    }
    const rules = input.gitignore === false ? undefined : IgnoreRules.above(workspace, start.path);
    const report = searchTree(input, { workspace, start, rules, search, filter });
    return resultOf(input, search, { report, rules });
  } finally {
    start.close();
  }
};

interface TreeSearch {
  workspace: Workspace;
  start: OpenedDirectory;
  rules: IgnoreRules | undefined;
  search: Search;
  filter: FileFilter;
}

function searchTree(input: GrepInput, { workspace, start, rules, search, filter }: TreeSearch): WalkReport {
  return walkTree<FilterState>({
    workspace,
    start,
    state: filter.start,
    rules,
    hidden: input.hidden === true,
    enter: ({ state, name }) => filter.enter(state, name),
    visit: (found, report) => {
      if (found.kind !== "file" || !filter.passes(found.state, found.name)) return "passed";
      return searchEntry(found, { workspace, search, report });
    },
  });
}

function searchEntry(
  found: Found<FilterState>,
  { workspace, search, report }: { workspace: Workspace; search: Search; report: WalkReport },
): Visited {
  const opened = openFound(found, workspace, report);
  if (!opened) return report.evidenceFull ? "stop" : "passed";
  const shown = opened.kind === "file" && search.file(opened);
  if (shown) opened.close();
  else opened.discard();
  if (search.ended) return "stop";
  return shown ? "shown" : "passed";
}

function resultOf(
  input: GrepInput,
  search: Search,
  walk: { report: WalkReport; rules: IgnoreRules | undefined },
): BodyResult {
  const { lines } = search;
  const notes = [...outcomeNotes(input, search, walk.report), ...walkNotes(walk.report, walk.rules)];
  const content = [lines.count === 0 ? "" : lines.text(), notes.join(" ")].filter((text) => text !== "");
  const data = {
    matches: search.matches,
    files_with_matches: search.filesWithMatches,
    files_searched: search.filesSearched,
    files_searched_partly: search.partly,
    binary_skipped: search.binary,
    bytes_total: search.ended || isCut(walk.report) ? null : lines.bytes,
    bytes_shown: lines.bytes,
    truncated: search.ended || isCut(walk.report),
  };
  return { content: content.map((text) => ({ type: "text", text })), data };
}

function outcomeNotes(input: GrepInput, search: Search, report: WalkReport): string[] {
  const notes: string[] = [];
  if (search.ended) {
    notes.push(
      "There are more results: narrow the search by path, globs or type, or use output_mode files_with_matches.",
    );
  } else if (search.lines.count === 0) {
    const where = `${showPlural(search.filesSearched, "file")} searched`;
    notes.push(`Nothing matches ${showPath(input.pattern)} (${where}).`);
    if (report.ignored > 0)
      notes.push("Entries ignored by git were left out; gitignore: false searches them too.");
  }
  if (search.binary > 0) notes.push(`${showPlural(search.binary, "binary file")} skipped.`);
  if (search.partly > 0) {
    const limit = `${showCount(FILE_MAX_BYTES)} bytes`;
    notes.push(`${showPlural(search.partly, "file")} searched in the first ${limit} only.`);
  }
  return notes;
}

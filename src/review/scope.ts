import { join } from "node:path";
import { parsePatch } from "diff";
import { RuiZNError } from "../errors.ts";
import { judgePathText } from "../sandbox/guard/path-text.ts";
import { REV } from "../tools/git/spec.ts";
import { LineSet } from "./line-set.ts";
import type { CallAnswer, WorkspaceCalls } from "./workspace-calls.ts";

/** What is to be reviewed, as it was asked for. Without any of these: all files. */
export interface ScopeRequest {
  /** Files and folders of the workspace; all when there are none. */
  paths: readonly string[];
  /** Absolute path of the file that the report is written to: it is no part of what is reviewed. */
  without?: string;
  /** One of: what changed since HEAD left a revision, what a commit changed, what is not committed, a unified diff. */
  changes?:
    | { of: "base" | "commit"; rev: string }
    | { of: "uncommitted" }
    | { of: "diff"; name: string; text: string };
}

export interface ScopeFile {
  path: string;
  /** The lines under review; undefined: all. */
  lines: LineSet | undefined;
  /** The user named it: nothing else is known of it. */
  named?: true;
}

const GLOB_MAX = 10_000;
const REVISION = new RegExp(REV.pattern);

/**
 * Which files, and which lines of them.
 * @throws RuiZNError input_invalid
 */
export async function scopeOf(request: ScopeRequest, calls: WorkspaceCalls): Promise<ScopeFile[]> {
  const only = request.paths.map((path) => judged(path, calls.root));
  const files = await changedFiles(request, calls, only);
  const chosen = files.filter(
    ({ path }) =>
      join(calls.root, path) !== request.without &&
      (only.length === 0 || only.some((one) => isBeneath(path, one))),
  );
  return chosen.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function changedFiles(
  { changes }: ScopeRequest,
  calls: WorkspaceCalls,
  only: readonly string[],
): Promise<ScopeFile[]> {
  switch (changes?.of) {
    case undefined:
      return allFiles(calls, only);
    case "diff":
      return fromDiff(changes.text, changes.name);
    case "uncommitted": {
      const untracked = names(await calls.git({ of: "untracked" }));
      const changed = await fromGit({ of: "uncommitted" }, calls);
      return [...changed, ...untracked.map((path) => ({ path, lines: undefined }))];
    }
    case "base":
    case "commit":
      if (!REVISION.test(changes.rev) || changes.rev.includes(".."))
        throw new RuiZNError(
          "input_invalid",
          `--${changes.of} ${JSON.stringify(changes.rev)} names no revision`,
        );
      return fromGit(changes, calls);
  }
}

async function fromGit(
  changes: { of: "base" | "commit"; rev: string } | { of: "uncommitted" },
  calls: WorkspaceCalls,
): Promise<ScopeFile[]> {
  const paths = names(await calls.git(changes));
  return calls.each(paths, async (path) => {
    const answer = await calls.git({ ...changes, path });
    // More changed lines than git can be asked for at once: the whole file is looked at.
    if (!answer.ok) return { path, lines: undefined };
    return { path, lines: LineSet.of((patchesOf(answer.text) ?? []).flatMap(addedLines)) };
  });
}

/** What git knows of, and what it does not ignore; in a folder without a repository what glob finds. */
async function allFiles(calls: WorkspaceCalls, only: readonly string[]): Promise<ScopeFile[]> {
  const listed = await calls.git({ of: "files" });
  const found = listed.ok ? names(listed) : await globbed(calls);
  const missing = only.filter((one) => !found.some((path) => isBeneath(path, one)));
  const known = found.map((path) => ({ path, lines: undefined }));
  return [...known, ...missing.map((path) => ({ path, lines: undefined, named: true as const }))];
}

async function globbed(calls: WorkspaceCalls): Promise<string[]> {
  const answer = await calls.call("glob", { pattern: "**/*", max_results: GLOB_MAX });
  if (!answer.ok) throw refused(answer);
  if (answer.data.truncated)
    throw new RuiZNError("input_invalid", "the workspace has more files than are listed at once", {
      hint: "name the folder to review: ruizn review -C FOLDER",
    });
  return answer.data["matches"] === 0 ? [] : answer.text.split("\n").filter((path) => path !== "");
}

function names(answer: CallAnswer): string[] {
  if (!answer.ok) throw refused(answer);
  return answer.text
    .split("\0")
    .map((name) => name.replace(/^\n+/, ""))
    .filter((name) => name !== "");
}

function refused({ errorType, why }: CallAnswer & { ok: false }): RuiZNError {
  return new RuiZNError(errorType === "seal_unavailable" ? "seal_unavailable" : "input_invalid", why);
}

type Patch = ReturnType<typeof parsePatch>[number];

/** A unified diff's own files and lines; what it says of them is looked up in the workspace. */
function fromDiff(text: string, name: string): ScopeFile[] {
  const patches = patchesOf(text);
  if (patches === undefined || patches.every(({ hunks }) => hunks.length === 0))
    throw new RuiZNError("input_invalid", `--diff ${name} is no unified diff`);
  return patches.flatMap((patch) => {
    const file = patch.newFileName;
    if (file === undefined || file === "/dev/null") return [];
    return [{ path: file.replace(/^b\//, ""), lines: LineSet.of(addedLines(patch)) }];
  });
}

function patchesOf(text: string): Patch[] | undefined {
  try {
    return parsePatch(text);
  } catch {
    return undefined;
  }
}

function addedLines({ hunks }: Patch): [number, number][] {
  return hunks.flatMap(({ newStart, lines }) => {
    let at = newStart;
    const added: [number, number][] = [];
    for (const line of lines) {
      if (line.startsWith("+")) added.push([at, at]);
      if (line.startsWith("+") || line.startsWith(" ") || line === "") at++;
    }
    return added;
  });
}

function judged(path: string, root: string): string {
  const judgement = judgePathText(path, root);
  if (!judgement.ok) throw new RuiZNError("input_invalid", judgement.message);
  return judgement.relative;
}

function isBeneath(path: string, folder: string): boolean {
  return folder === "." || path === folder || path.startsWith(`${folder}/`);
}

import { type RunErrorCode, RuiZNError } from "../errors.ts";
import { atLeast, type Finding, type Severity } from "./finding.ts";
import { type ReviewedFile, readScope, type SkippedFile } from "./reviewed-files.ts";
import { scan } from "./scan.ts";
import { type ScopeRequest, scopeOf } from "./scope.ts";
import { WorkspaceCalls, type WorkspaceOptions } from "./workspace-calls.ts";

/** What is under review, with what the scan found in it. */
export interface ScannedScope {
  /** Words for it. */
  scope: string;
  /** The commit whose files these are; undefined: they are those of the workspace. */
  rev: string | undefined;
  files: ReviewedFile[];
  skipped: SkippedFile[];
  findings: Finding[];
}

/** An error as data: the review is a bundle of its own, whose error class the command does not know. */
export interface ScanRefused {
  code: RunErrorCode;
  message: string;
  hint?: string;
}

/** `scanScope`, with its errors as data. */
export async function tryScan(
  request: ScopeRequest,
  workspace: WorkspaceOptions,
): Promise<{ ok: true; scanned: ScannedScope } | { ok: false; error: ScanRefused }> {
  try {
    return { ok: true, scanned: await scanScope(request, workspace) };
  } catch (error) {
    if (!(error instanceof RuiZNError)) throw error;
    const { code, message, hint } = error;
    return { ok: false, error: { code, message, ...(hint !== undefined && { hint }) } };
  }
}

/**
 * Finds out what is to be reviewed, reads it and scans it. Everything is read in sealed workers.
 * @throws RuiZNError input_invalid, workspace_invalid, seal_unavailable
 */
export async function scanScope(request: ScopeRequest, workspace: WorkspaceOptions): Promise<ScannedScope> {
  const calls = new WorkspaceCalls(workspace);
  try {
    const { changes } = request;
    const rev = changes?.of === "commit" ? changes.rev : undefined;
    const { files, skipped } = await readScope(await scopeOf(request, calls), calls, rev);
    workspace.signal.throwIfAborted();
    return { scope: wordsFor(request), rev, files, skipped, findings: await scan(files) };
  } finally {
    await calls.close();
  }
}

function wordsFor({ paths, changes }: ScopeRequest): string {
  const within = paths.length === 0 ? "" : ` in ${paths.join(", ")}`;
  switch (changes?.of) {
    case undefined:
      return paths.length === 0 ? "all files" : `the files${within}`;
    case "base":
      return `what changed since ${changes.rev}${within}`;
    case "commit":
      return `commit ${changes.rev}${within}`;
    case "uncommitted":
      return `what is not committed${within}`;
    case "diff":
      return `the changes of ${changes.name}${within}`;
  }
}

/** The findings that are asked for, with those that the baseline knows marked, the worst first. */
export function selected(
  findings: readonly Finding[],
  { severity, baseline }: { severity: Severity; baseline: ReadonlySet<string> },
): Finding[] {
  return findings
    .filter((finding) => atLeast(finding.severity, severity))
    .map((finding) => ({ ...finding, suppressed: baseline.has(finding.fingerprint) }))
    .toSorted((a, b) => Number(atLeast(b.severity, a.severity)) - Number(atLeast(a.severity, b.severity)));
}

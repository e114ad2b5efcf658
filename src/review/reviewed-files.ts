import { RuiZNError } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import { LineSet } from "./line-set.ts";
import type { ScopeFile } from "./scope.ts";
import type { CallAnswer, WorkspaceCalls } from "./workspace-calls.ts";

/** A file under review with its text. */
export interface ReviewedFile {
  path: string;
  text: string;
  /** Its lines without line ends; the first is line 1. */
  lines: readonly string[];
  inScope: LineSet;
}

/** A file that should have been reviewed and was not. */
export interface SkippedFile {
  path: string;
  why: string;
}

/** Lines of a file are not counted: what is longer than the largest file has none at all. */
const ALL_LINES = LIMITS.readMaxBytes + 1;

/**
 * Reads what is under review, as it lies in the workspace or, with a revision, as it was there.
 * @throws RuiZNError seal_unavailable; input_invalid for a file that was named and cannot be read
 */
export async function readScope(
  scope: readonly ScopeFile[],
  calls: WorkspaceCalls,
  rev: string | undefined,
): Promise<{ files: ReviewedFile[]; skipped: SkippedFile[] }> {
  const read = await calls.each(scope, async (file) => {
    const { path } = file;
    return { file, answer: await textOf(path, calls, rev) };
  });
  const files: ReviewedFile[] = [];
  const skipped: SkippedFile[] = [];
  for (const { file, answer } of read) {
    if (answer.ok) files.push(reviewed(file, answer.text));
    else if (answer.errorType === "seal_unavailable") throw new RuiZNError("seal_unavailable", answer.why);
    else if (file.named) throw new RuiZNError("input_invalid", answer.why);
    else skipped.push({ path: file.path, why: answer.why });
  }
  return { files, skipped };
}

async function textOf(path: string, calls: WorkspaceCalls, rev: string | undefined): Promise<CallAnswer> {
  if (rev !== undefined) return calls.git({ of: "content", rev, path });
  const input = { path, limit: ALL_LINES, max_bytes: LIMITS.readMaxBytes };
  const answer = await calls.call("read_file", input);
  if (!answer.ok || !(answer.data.truncated || answer.data["next_byte_offset"] !== undefined)) return answer;
  return { ok: false, errorType: "output_limit", why: `it is larger than ${LIMITS.readMaxBytes} bytes` };
}

function reviewed({ path, lines: asked }: ScopeFile, text: string): ReviewedFile {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  if (lines.at(-1) === "") lines.pop();
  const all = LineSet.of([[1, lines.length]]);
  return { path, text, lines, inScope: asked === undefined ? all : asked.and(all) };
}

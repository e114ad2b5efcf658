import { findSecrets } from "../redaction/find-secrets.ts";
import type { ReportedFinding } from "../tools/report-finding/spec.ts";
import { LineSet } from "./line-set.ts";
import type { ReviewedFile } from "./reviewed-files.ts";

/** What a finding is held against. */
export interface KnownCode {
  files: ReadonlyMap<string, ReviewedFile>;
  /** Lines that the model was shown in this run. */
  read: ReadonlyMap<string, LineSet>;
}

const SHOWN_FILES = 20;
const SHOWN_MAX_CHARS = 300;
/** More lines than this are no place. */
const LINES_MAX = 200;

/** Why a finding does not count, for the model to correct it; undefined when the code bears it out. */
export function problemOf(reported: ReportedFinding, { files, read }: KnownCode): string | undefined {
  const { line, end_line: end } = reported;
  const file = files.get(reported.file);
  if (!file) return `${shown(reported.file)} is not under review; the files are: ${namesOf(files)}`;
  const { path, lines } = file;
  if (end < line) return `end_line ${end} comes before line ${line}`;
  if (end > lines.length) return `${shown(path)} has ${lines.length} lines, there is no line ${end}`;
  if (end - line >= LINES_MAX) return `a finding has at most ${LINES_MAX} lines; name those that are wrong`;
  if (!(read.get(path) ?? LineSet.of([])).covers(line, end))
    return `you have not read lines ${line}-${end} of ${shown(path)} in this run; read them first`;
  return evidenceProblem(reported, lines);
}

function evidenceProblem(reported: ReportedFinding, lines: readonly string[]): string | undefined {
  const { line, end_line: end, evidence } = reported;
  const wanted = squeezed(evidence);
  if (wanted === "") return "the evidence is empty; copy the code from these lines";
  if (holds(lines.slice(line - 1, end), wanted)) return undefined;
  const place = placeOf(wanted, lines);
  if (place)
    return `the evidence stands in lines ${place[0]}-${place[1]}, not ${line}-${end}; report it with the right lines`;
  const there = lines
    .slice(line - 1, end)
    .join("\n")
    .trim();
  return `the evidence does not stand in the file; lines ${line}-${end} are: ${shown(findSecrets(there).redacted)}`;
}

/** The first lines that hold it, as few as possible. */
function placeOf(wanted: string, lines: readonly string[]): [number, number] | undefined {
  if (!holds(lines, wanted)) return undefined;
  let end = 1;
  while (!holds(lines.slice(Math.max(0, end - LINES_MAX), end), wanted))
    if (++end > lines.length) return undefined;
  let start = end;
  while (!holds(lines.slice(start - 1, end), wanted)) start--;
  return [start, end];
}

/** What a model was shown has markers in the place of secrets. */
function holds(lines: readonly string[], wanted: string): boolean {
  const text = lines.join("\n");
  return squeezed(text).includes(wanted) || squeezed(findSecrets(text).redacted).includes(wanted);
}

/** White space is not compared. */
function squeezed(text: string): string {
  return text.replaceAll(/\s+/g, "");
}

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text);
}

function namesOf(files: ReadonlyMap<string, unknown>): string {
  const names = [...files.keys()];
  const more = names.length > SHOWN_FILES ? `, and ${names.length - SHOWN_FILES} more` : "";
  return `${names.slice(0, SHOWN_FILES).map(shown).join(", ")}${more}`;
}

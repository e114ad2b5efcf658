import { resolve } from "node:path";
import { RuiZNError } from "../errors.ts";
import type { Format, KnownFinding, ScopeRequest, Severity } from "../review/index.ts";
import type { ParsedCommand } from "./program.ts";
import { readTextFile } from "./read-text-file.ts";

/** What the flags of `ruizn review` say, checked. */
export interface ReviewArguments {
  scope: ScopeRequest;
  severity: Severity;
  format: Format;
  failOn: Severity | undefined;
  /** Share of the lines in scope, from 0 to 1; undefined when nothing is said. */
  minCoverage: number | undefined;
  /** Fingerprints of findings that are known. */
  baseline: ReadonlySet<string>;
}

const FILE_MAX_BYTES = 64 * 1024 * 1024;

type OneOff = ParsedCommand["oneOff"];

/** @throws RuiZNError usage_invalid, input_invalid */
export async function reviewArguments(
  { args, oneOff }: ParsedCommand,
  cwd: string,
): Promise<ReviewArguments> {
  const { FORMATS, SEVERITIES } = await import("../review/index.ts");
  return {
    scope: {
      ...scopeRequest(args, oneOff, cwd),
      ...(oneOff["output"] !== undefined && { without: resolve(cwd, oneOff["output"]) }),
    },
    severity: choice("severity", oneOff, SEVERITIES) ?? "low",
    format: choice("format", oneOff, FORMATS) ?? "text",
    failOn: choice("fail-on", oneOff, SEVERITIES),
    minCoverage: shareOf(oneOff["min-coverage"]),
    baseline: await baselineOf(oneOff["baseline"], cwd),
  };
}

function choice<T extends string>(flag: string, oneOff: OneOff, of: readonly T[]): T | undefined {
  const value = oneOff[flag];
  const found = of.find((one) => one === value);
  if (value === undefined || found !== undefined) return found;
  throw new RuiZNError("usage_invalid", `--${flag} takes ${of.join(", ")}, not ${JSON.stringify(value)}`);
}

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (percent <= 100) return percent / 100;
  throw new RuiZNError(
    "usage_invalid",
    `--min-coverage takes a number from 0 to 100, not ${JSON.stringify(text)}`,
  );
}

function scopeRequest(args: readonly (string | undefined)[], oneOff: OneOff, cwd: string): ScopeRequest {
  const given = ["base", "commit", "uncommitted", "diff"].filter((flag) => oneOff[flag] !== undefined);
  if (given.length > 1)
    throw new RuiZNError("usage_invalid", `--${given.join(" and --")} exclude each other: name one of them`);
  const { base, commit, diff } = oneOff;
  const paths = args.filter((path) => path !== undefined);
  if (base !== undefined) return { paths, changes: { of: "base", rev: base } };
  if (commit !== undefined) return { paths, changes: { of: "commit", rev: commit } };
  if (given.length === 0) return { paths };
  if (diff === undefined) return { paths, changes: { of: "uncommitted" } };
  return { paths, changes: { of: "diff", name: diff, text: fileText("--diff ", diff, cwd) } };
}

async function baselineOf(path: string | undefined, cwd: string): Promise<ReadonlySet<string>> {
  if (path === undefined) return new Set();
  const known = await reportOf("--baseline ", path, cwd);
  return new Set(known.map(({ fingerprint }) => fingerprint));
}

/** The findings of an earlier report. @throws RuiZNError input_invalid */
export async function reportOf(flag: string, path: string, cwd: string): Promise<KnownFinding[]> {
  const { knownFindings } = await import("../review/index.ts");
  const known = knownFindings(fileText(flag, path, cwd));
  if (known) return known;
  throw new RuiZNError("input_invalid", `${flag}${path} is no report of ruizn review`, {
    hint: "write one with --format json or --format sarif",
  });
}

function fileText(flag: string, path: string, cwd: string): string {
  const file = readTextFile(resolve(cwd, path), FILE_MAX_BYTES);
  if (!file.found) throw new RuiZNError("input_invalid", `${flag}${path} ${file.why}`);
  return file.text;
}

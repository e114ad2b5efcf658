import { junitXml } from "../report/junit.ts";
import { plainText } from "../report/plain-text.ts";
import { VERSION } from "../version.ts";
import type { Finding, Severity } from "./finding.ts";
import { openFindings, type ReviewReport } from "./report.ts";
import { sarifText } from "./sarif-format.ts";

export const FORMATS = ["text", "json", "sarif", "junit", "github", "markdown"] as const;
export type Format = (typeof FORMATS)[number];

/** The report as text in one of the formats. Nothing in it can be taken for anything but text. */
export function formatted(report: ReviewReport, format: Format, exitCode: number): string {
  switch (format) {
    case "text":
      return plainReport(report);
    case "json":
      return jsonReport(report, exitCode);
    case "sarif":
      return sarifText(report, exitCode);
    case "junit":
      return junitReport(report);
    case "github":
      return githubCommands(report);
    case "markdown":
      return markdownReport(report);
  }
}

const oneLine = (text: string): string => plainText(text).replaceAll(/\s+/g, " ").trim();
const placeOf = ({ file, line, endLine }: Finding): string =>
  `${file}:${line}${endLine === line ? "" : `-${endLine}`}`;

function summary(report: ReviewReport): string {
  const open = openFindings(report);
  const known = report.findings.length - open.length;
  const count = `${open.length} ${open.length === 1 ? "finding" : "findings"}`;
  return `${count} of severity ${report.severity} or above in ${report.scope}${known > 0 ? `, and ${known} that the baseline knows` : ""}.`;
}

function plainReport(report: ReviewReport): string {
  const rows = openFindings(report).flatMap((finding) => [
    `${placeOf(finding)}  ${finding.severity}  ${finding.title} (${finding.cwe}, ${finding.rule})`,
    `    ${finding.evidence}`,
    `    ${finding.recommendation}`,
  ]);
  const skipped = report.skipped.map(({ path, why }) => `skipped ${path}: ${why}`);
  return `${[...rows, ...skipped, summary(report), ...report.notes].map((row) => plainText(row).replaceAll("\n", " ")).join("\n")}\n`;
}

/** Keys as everywhere in what the command writes for programs. */
function jsonReport(report: ReviewReport, exitCode: number): string {
  const { scope, severity, findings, skipped, coverage, model, complete, notes } = report;
  const value = { type: "review", version: VERSION, exit_code: exitCode, scope, severity, complete, notes };
  return `${JSON.stringify(snakeCase({ ...value, findings, skipped, coverage, model }), null, 2)}\n`;
}

function snakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCase);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    snakeCase(item),
  ]);
  return Object.fromEntries(entries);
}

/** A case for each finding, and one for the review itself: a report without findings is no review that was not made. */
function junitReport(report: ReviewReport): string {
  const cases = report.findings.map((finding) => ({
    name: `${placeOf(finding)} ${finding.title}`,
    className: finding.rule,
    seconds: 0,
    file: finding.file,
    ...(finding.suppressed
      ? { skipped: "the baseline knows it" }
      : {
          failure: {
            type: finding.severity,
            message: finding.title,
            details: `${finding.description}\n${finding.evidence}\n${finding.recommendation}`,
          },
        }),
  }));
  const skipped = report.skipped.map(({ path, why }) => ({
    name: path,
    className: "skipped",
    seconds: 0,
    skipped: why,
  }));
  const message = report.notes.join(" ");
  const whole = { name: "the review is complete", className: "review", seconds: 0 };
  const state =
    report.model.state === "not-run"
      ? { skipped: message }
      : report.complete
        ? { output: message }
        : { error: { type: "incomplete", message } };
  return junitXml("ruizn review", [
    { name: "review", cases: [{ ...whole, ...state }, ...cases, ...skipped] },
  ]);
}

const COMMAND: Record<Severity, string> = {
  low: "notice",
  medium: "warning",
  high: "error",
  critical: "error",
};

/** Workflow commands of GitHub: annotations in the diff. */
function githubCommands(report: ReviewReport): string {
  const rows = openFindings(report).map((finding) => {
    const { file, line, endLine, columns, severity, title, description, recommendation } = finding;
    const place = { file, line, endLine, ...(columns && line === endLine && columnsOf(columns)), title };
    const properties = Object.entries(place).map(([key, value]) => `${key}=${property(String(value))}`);
    return `::${COMMAND[severity]} ${properties.join(",")}::${message(`${description} ${recommendation}`)}`;
  });
  const state = report.complete ? "notice" : "warning";
  return `${[...rows, `::${state} title=ruizn review::${message([summary(report), ...report.notes].join(" "))}`].join("\n")}\n`;
}

const columnsOf = ({ start, end }: { start: number; end: number }) => ({ col: start, endColumn: end });
const message = (text: string): string =>
  oneLine(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => message(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

function markdownReport(report: ReviewReport): string {
  const rows = openFindings(report).map(
    (finding) =>
      `| ${finding.severity} | ${cell(placeOf(finding))} | ${cell(finding.title)} (${finding.cwe}) | ${cell(finding.recommendation)} |`,
  );
  const table = ["| severity | where | what | what to do |", "|---|---|---|---|", ...rows, ""];
  const skipped = report.skipped.map(({ path, why }) => `- skipped ${cell(path)}: ${cell(why)}`);
  const head = ["# Review", "", cell(summary(report)), "", ...report.notes.map((note) => `- ${cell(note)}`)];
  return [...head, ...skipped, "", ...(rows.length > 0 ? table : [])].join("\n");
}

/** No link, image, HTML, mention or cell of its own. */
function cell(text: string): string {
  return oneLine(text)
    .replace(/[\\`*_[\]()<>|#!~&]/g, (char) => `&#${char.charCodeAt(0)};`)
    .replaceAll("@", "&#64;")
    .replaceAll("://", "&#58;//");
}

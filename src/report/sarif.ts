import { createHash } from "node:crypto";
import { plainText } from "./plain-text.ts";

export type SarifLevel = "error" | "warning" | "note";

/** A kind of finding. `help` says what to do about it. */
export interface SarifRule {
  id: string;
  /** One sentence. */
  summary: string;
  description: string;
  help: string;
  level: SarifLevel;
  /** 0.1 to 10, as code scanning ranks security findings: above 9 critical, 7 high, 4 medium. */
  severity?: number;
  tags?: readonly string[];
}

export interface SarifFinding {
  ruleId: string;
  level: SarifLevel;
  /** Its first sentence becomes the title. */
  message: string;
  /** Relative to the repository's root, with forward slashes, symlinks resolved. */
  file: string;
  /** From 1; the whole file when left out. */
  lines?: { start: number; end: number };
  /** Within the first and the last line, from 1, in UTF-16 units; `end` is the one behind the last character. */
  columns?: { start: number; end: number };
  /** What stays the same when the lines move; tells one finding from another across runs. */
  fingerprint: string;
  /** Known before, and not asked about again. */
  suppressed?: boolean;
  /** Of any use to a reader that knows the tool. Plain JSON. */
  properties?: Record<string, unknown>;
}

export interface SarifReport {
  tool: { name: string; version: string; informationUri?: string };
  /** Tells reports of one tool about different things apart: `review`, `probe`. */
  category: string;
  rules: readonly SarifRule[];
  findings: readonly SarifFinding[];
  /** False when the tool did not get to the end of its work. */
  successful: boolean;
  /** What the command ends with. */
  exitCode?: number;
  /** What a reader must know about the report as a whole: what was not looked at, what went wrong. */
  notes?: readonly { level: SarifLevel; text: string }[];
}

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const FULL_DESCRIPTION_MAX_CHARS = 1_024;
const MESSAGE_MAX_CHARS = 8_000;

/** A SARIF 2.1.0 log as JSON text, in the form that code scanning takes. Control characters are made visible. */
export function sarifLog(report: SarifReport): string {
  const { tool, category, rules, findings, successful, exitCode, notes = [] } = report;
  const index = new Map(rules.map(({ id }, at) => [id, at]));
  const run = {
    tool: {
      driver: {
        name: tool.name,
        semanticVersion: tool.version,
        ...(tool.informationUri && { informationUri: tool.informationUri }),
        rules: rules.map(ruleOf),
      },
    },
    automationDetails: { id: `${tool.name}/${category}/` },
    columnKind: "utf16CodeUnits",
    invocations: [
      {
        executionSuccessful: successful,
        ...(exitCode !== undefined && { exitCode }),
        ...(notes.length > 0 && { toolExecutionNotifications: notes.map(noteOf) }),
      },
    ],
    // Also when there are none: an empty list is what closes the findings of an earlier report.
    results: findings.map((finding) => resultOf(finding, index)),
  };
  return `${JSON.stringify({ $schema: SCHEMA, version: "2.1.0", runs: [run] }, null, 2)}\n`;
}

function ruleOf(rule: SarifRule): object {
  const { severity, tags = [] } = rule;
  return {
    id: rule.id,
    shortDescription: { text: textOf(rule.summary) },
    fullDescription: { text: textOf(rule.description, FULL_DESCRIPTION_MAX_CHARS) },
    help: { text: textOf(rule.help) },
    defaultConfiguration: { level: rule.level },
    properties: {
      tags: ["security", ...tags.filter((tag) => tag !== "security")].slice(0, 10),
      ...(severity !== undefined && {
        "security-severity": Math.min(10, Math.max(0.1, severity)).toFixed(1),
      }),
    },
  };
}

function resultOf(finding: SarifFinding, index: ReadonlyMap<string, number>): object {
  const { ruleId, level, message, file, lines, columns, fingerprint, suppressed, properties } = finding;
  const ruleIndex = index.get(ruleId);
  return {
    ruleId,
    ...(ruleIndex !== undefined && { ruleIndex }),
    level,
    message: { text: textOf(message) },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: uriOf(file), uriBaseId: "%SRCROOT%" },
          region: {
            startLine: lines?.start ?? 1,
            endLine: lines?.end ?? lines?.start ?? 1,
            ...(columns && { startColumn: columns.start, endColumn: columns.end }),
          },
        },
      },
    ],
    partialFingerprints: { primaryLocationLineHash: hashOf(fingerprint) },
    ...(suppressed && { suppressions: [{ kind: "external", status: "accepted" }] }),
    ...(properties && { properties }),
  };
}

function noteOf({ level, text }: { level: SarifLevel; text: string }): object {
  return { level, message: { text: textOf(text) } };
}

/** Empty texts are refused where one is required. */
function textOf(text: string, max = MESSAGE_MAX_CHARS): string {
  const plain = plainText(text);
  if (plain.trim() === "") return "(no text)";
  return plain.length > max ? `${plain.slice(0, max - 1).toWellFormed()}…` : plain;
}

/** Percent-encoded segment by segment; what is absolute or steps up names nothing in the repository. */
function uriOf(file: string): string {
  const segments = file.split("/").filter((part) => part !== "" && part !== "." && part !== "..");
  return segments.map((part) => encodeURIComponent(part.toWellFormed())).join("/") || "unknown";
}

function hashOf(fingerprint: string): string {
  return createHash("sha256").update(fingerprint).digest("hex").slice(0, 32);
}

import { type SarifFinding, type SarifLevel, sarifLog, type SarifRule } from "../report/sarif.ts";
import { VERSION } from "../version.ts";
import type { Finding, Severity } from "./finding.ts";
import type { ReviewReport } from "./report.ts";

const LEVEL: Record<Severity, SarifLevel> = {
  low: "note",
  medium: "warning",
  high: "error",
  critical: "error",
};
/** As code scanning ranks them: critical above 9, high from 7, medium from 4. */
const RANK: Record<Severity, number> = { low: 2, medium: 5.5, high: 8, critical: 9.5 };

/** SARIF 2.1.0 for code scanning. */
export function sarifText(report: ReviewReport, exitCode: number): string {
  const { findings, skipped, notes, complete } = report;
  const first = new Map(findings.toReversed().map((finding) => [finding.rule, finding]));
  return sarifLog({
    tool: { name: "ruizn", version: VERSION },
    category: "review",
    rules: [...first.values()].map(ruleOf).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    findings: findings.map(resultOf),
    successful: complete || report.model.state === "not-run",
    exitCode,
    notes: [
      ...notes.map((text) => ({ level: complete ? "note" : "warning", text }) as const),
      ...skipped.map(({ path, why }) => ({ level: "warning", text: `${path} was skipped: ${why}` }) as const),
    ],
  });
}

function ruleOf({ rule, source, category, cwe, severity, title, recommendation }: Finding): SarifRule {
  const own = source === "scan";
  return {
    id: rule,
    summary: own ? title : `${category} (${cwe})`,
    description: own
      ? title
      : `What a model found and the runtime has checked against the code: ${category}.`,
    help: own ? recommendation : `See ${cwe} and the finding's own recommendation.`,
    level: LEVEL[severity],
    severity: RANK[severity],
    tags: [category, `external/cwe/${cwe.toLowerCase()}`],
  };
}

function resultOf(finding: Finding): SarifFinding {
  const { rule, severity, confidence, title, description, recommendation, exploitScenario } = finding;
  const { file, line, endLine, columns, fingerprint, suppressed, evidence, cwe, source } = finding;
  return {
    ruleId: rule,
    level: LEVEL[severity],
    message: [`${title}.`, description, exploitScenario ?? "", recommendation].filter(Boolean).join(" "),
    file,
    lines: { start: line, end: endLine },
    ...(columns && { columns }),
    fingerprint,
    suppressed,
    properties: { severity, confidence, cwe, source, evidence, fingerprint },
  };
}

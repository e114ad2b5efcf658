import { junitXml, type JunitCase } from "../report/junit.ts";
import { type SarifFinding, sarifLog, type SarifRule } from "../report/sarif.ts";
import { VERSION } from "../version.ts";
import type { Outcome } from "./outcome.ts";
import type { CaseReport } from "./run-probe.ts";

/** Outcomes that a report is about; the others are what was promised, or could not be tried. */
const LEVELS = { escaped: "error", error: "error", degraded: "warning", single: "note" } as const;

function isTold(outcome: Outcome): outcome is keyof typeof LEVELS {
  return outcome in LEVELS;
}

/** SARIF 2.1.0: a rule for each case that is told of. A finding is about the installation; it stands at package.json. */
export function probeSarif(reports: readonly CaseReport[], { finished }: { finished: boolean }): string {
  const told = reports.filter(({ outcome }) => isTold(outcome));
  return sarifLog({
    tool: { name: "ruizn", version: VERSION },
    category: "probe",
    rules: told.map(ruleOf),
    findings: told.map(findingOf),
    successful: finished,
    notes: reports
      .filter(({ outcome }) => outcome === "not_applicable")
      .map(({ id, why }) => ({ level: "note", text: `${id} was not run: ${why.join("; ")}` })),
  });
}

function ruleOf({ id, family, title, claim, source, outcome }: CaseReport): SarifRule {
  return {
    id,
    summary: `An attack that ${title}`,
    description: `Family ${family}; what an escape would take away: ${claim}. Source: ${source}.`,
    help: `Run \`ruizn probe --case ${id} --json\` to see what was tried and what came back.`,
    level: levelOf(outcome),
    tags: [family, claim],
  };
}

function findingOf(report: CaseReport): SarifFinding {
  const { id, outcome, title, why, heldBy, tried, cameBack, durationMs } = report;
  const held = heldBy.length > 0 ? ` Held by ${heldBy.join(", ")}.` : "";
  return {
    ruleId: id,
    level: levelOf(outcome),
    message: `${outcome}: an attack that ${title}.${held} ${why.join("; ")}`.trim(),
    file: "package.json",
    fingerprint: `${id} ${outcome}`,
    properties: { tried, came_back: cameBack, duration_ms: durationMs },
  };
}

function levelOf(outcome: Outcome): "error" | "warning" | "note" {
  return isTold(outcome) ? LEVELS[outcome] : "note";
}

/** JUnit: a suite for each family. Escaped is a failure, a broken case an error; what was held by one layer passes. */
export function probeJunit(reports: readonly CaseReport[]): string {
  const families = [...new Set(reports.map(({ family }) => family))];
  return junitXml(
    "ruizn probe",
    families.map((name) => ({
      name,
      cases: reports.filter(({ family }) => family === name).map(junitCase),
    })),
  );
}

function junitCase(report: CaseReport): JunitCase {
  const { id, family, title, outcome, heldBy, why, tried, cameBack, durationMs } = report;
  const message = why.join("; ");
  const details = tried.map((line, at) => `${line}\n  ${cameBack[at] ?? ""}`).join("\n");
  const problem = { type: outcome, message, details };
  return {
    name: `${id} ${title}`,
    className: family,
    seconds: durationMs / 1000,
    output: [`${outcome}${heldBy.length > 0 ? `, by ${heldBy.join(", ")}` : ""}`, ...why].join("\n"),
    ...(outcome === "escaped" && { failure: problem }),
    ...(outcome === "error" && { error: problem }),
    ...(outcome === "not_applicable" && { skipped: message }),
  };
}

import { createHash } from "node:crypto";

export const SEVERITIES = ["low", "medium", "high", "critical"] as const;
export type Severity = (typeof SEVERITIES)[number];
export const CONFIDENCES = ["low", "medium", "high"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** One place in the reviewed code that somebody should look at. */
export interface Finding {
  /** What kind it is: `secret/github-token`, `call/eval`, or `review/cwe-89` for what a model found. */
  rule: string;
  source: "scan" | "model";
  file: string;
  /** From 1, as are columns, which count UTF-16 units; the end column is the one behind the last character. */
  line: number;
  endLine: number;
  columns?: { start: number; end: number };
  severity: Severity;
  confidence: Confidence;
  category: string;
  /** Such as `CWE-89`. */
  cwe: string;
  title: string;
  description: string;
  exploitScenario?: string;
  recommendation: string;
  /** The code that it is about, secrets replaced. */
  evidence: string;
  /** The same when lines move; another when the code itself is another. */
  fingerprint: string;
  /** The baseline knows it. */
  suppressed: boolean;
}

export function atLeast(severity: Severity, least: Severity): boolean {
  return SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(least);
}

/** Gives each finding its fingerprint: by rule, file and code, and for equal code by which of them it is. */
export function withFingerprints(findings: readonly Omit<Finding, "fingerprint">[]): Finding[] {
  const seen = new Map<string, number>();
  return findings.toSorted(byPlace).map((finding) => {
    const { rule, file, evidence } = finding;
    const key = JSON.stringify([rule, file, evidence.replaceAll(/\s+/g, " ").trim()]);
    const nth = seen.get(key) ?? 0;
    seen.set(key, nth + 1);
    const fingerprint = createHash("sha256").update(`${key} ${nth}`).digest("hex").slice(0, 32);
    return { ...finding, fingerprint };
  });
}

type Place = Pick<Finding, "file" | "line" | "rule">;

function byPlace(a: Place, b: Place): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  if (a.line !== b.line) return a.line - b.line;
  return a.rule < b.rule ? -1 : Number(a.rule > b.rule);
}

import type { RE2JS } from "re2js";
import { findSecrets } from "../redaction/find-secrets.ts";
import { type Finding, withFingerprints } from "./finding.ts";
import type { ReviewedFile } from "./reviewed-files.ts";
import { SCAN_RULES, type ScanRule } from "./scan-rules.ts";

interface LoadedRule {
  rule: ScanRule;
  pattern: RE2JS;
}

const EVIDENCE_MAX_CHARS = 300;
/** Longer lines are no code that anybody wrote. */
const LINE_MAX_CHARS = 10_000;

/** Loads the rules and takes each example through its rule. @throws Error for a rule that does not do what it says. */
export async function loadRules(rules: readonly ScanRule[] = SCAN_RULES): Promise<LoadedRule[]> {
  const { RE2JS } = await import("re2js");
  return rules.map((rule) => {
    const loaded = { rule, pattern: RE2JS.compile(rule.pattern) };
    const missed = rule.match.find((line) => !matchIn(line, loaded));
    const caught = rule.notMatch.find((line) => matchIn(line, loaded));
    if (missed !== undefined) throw new Error(`rule ${rule.id} does not match its example: ${missed}`);
    if (caught !== undefined) throw new Error(`rule ${rule.id} matches its counterexample: ${caught}`);
    return loaded;
  });
}

function matchIn(line: string, { rule, pattern }: LoadedRule): { start: number; end: number } | undefined {
  if (line.length > LINE_MAX_CHARS || !rule.needles.some((needle) => line.includes(needle))) return undefined;
  const matcher = pattern.matcher(line);
  return matcher.find() ? { start: matcher.start() + 1, end: matcher.end() + 1 } : undefined;
}

/** What can be found without a model: secrets by their form, and dangerous calls by theirs. */
export async function scan(files: readonly ReviewedFile[]): Promise<Finding[]> {
  const rules = await loadRules();
  return withFingerprints(files.flatMap((file) => [...secretsIn(file), ...callsIn(file, rules)]));
}

type Found = Omit<Finding, "fingerprint">;

function secretsIn({ path, text, lines, inScope }: ReviewedFile): Found[] {
  return findSecrets(text).found.flatMap(({ rule, at, length }) => {
    const before = text.slice(0, at);
    const line = before.split("\n").length;
    const start = at - (before.lastIndexOf("\n") + 1) + 1;
    if (!inScope.has(line)) return [];
    const shown = lines[line - 1] ?? "";
    return [
      {
        rule: `secret/${rule}`,
        source: "scan",
        file: path,
        line,
        endLine: line,
        columns: { start, end: Math.min(start + length, shown.length + 1) },
        severity: "high",
        confidence: "medium",
        category: "secret",
        cwe: "CWE-798",
        title: `A secret stands in the code (${rule})`,
        description: "What stands here has the form of a secret; whoever can read the code has it.",
        recommendation: "Revoke it, and read the new one from the environment or a secret store.",
        // The line as it stood would carry the secret into every report.
        evidence: evidenceOf(redactedLine(shown)),
        suppressed: false,
      },
    ];
  });
}

/** Of a key that goes over several lines the first alone is shown, which is its heading. */
function redactedLine(line: string): string {
  return findSecrets(line).redacted;
}

function callsIn({ path, lines, inScope }: ReviewedFile, rules: readonly LoadedRule[]): Found[] {
  const fitting = rules.filter(({ rule }) => rule.files.some((end) => path.endsWith(end)));
  if (fitting.length === 0) return [];
  return lines.flatMap((text, index) =>
    inScope.has(index + 1) ? fitting.flatMap((rule) => callIn(path, text, index + 1, rule)) : [],
  );
}

function callIn(file: string, text: string, line: number, loaded: LoadedRule): Found[] {
  const columns = matchIn(text, loaded);
  if (!columns) return [];
  const { id, severity, category, cwe, title, recommendation } = loaded.rule;
  return [
    {
      rule: `call/${id}`,
      source: "scan",
      file,
      line,
      endLine: line,
      columns,
      severity,
      confidence: "low",
      category,
      cwe,
      title,
      description: `${title}. Found by its form alone: whether it can be reached with a hostile value was not looked at.`,
      recommendation,
      evidence: evidenceOf(redactedLine(text)),
      suppressed: false,
    },
  ];
}

function evidenceOf(line: string): string {
  return line.trim().slice(0, EVIDENCE_MAX_CHARS).toWellFormed();
}

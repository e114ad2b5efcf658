/**
 * The fingerprints in an earlier report, as `ruizn review` writes it with `--format json` or `sarif`; undefined when it
 * is neither.
 */
export function fingerprintsOf(text: string): Set<string> | undefined {
  try {
    const report = JSON.parse(text) as { type?: unknown; findings?: unknown; runs?: unknown } | null;
    if (report?.type === "review" && Array.isArray(report.findings))
      return strings(report.findings.map((finding) => at(finding, "fingerprint")));
    if (!Array.isArray(report?.runs)) return undefined;
    const results = report.runs.flatMap((run) => (at(run, "results") ?? []) as unknown[]);
    return strings(results.map((result) => at(at(result, "properties"), "fingerprint")));
  } catch {
    return undefined;
  }
}

function at(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

function strings(values: readonly unknown[]): Set<string> | undefined {
  return values.every((value) => typeof value === "string") ? new Set(values) : undefined;
}

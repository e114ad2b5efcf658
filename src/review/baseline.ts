/** A finding as an earlier report has it. */
export interface KnownFinding {
  fingerprint: string;
  file: string;
  line: number;
  severity: string;
  title: string;
}

/** The findings of a report that `ruizn review` wrote as `json` or `sarif`; undefined when it is neither. */
export function knownFindings(text: string): KnownFinding[] | undefined {
  try {
    const report: unknown = JSON.parse(text);
    if (at(report, "type") === "review") return all((at(report, "findings") as unknown[]).map(fromJson));
    const results = (at(report, "runs") as unknown[]).flatMap((run) => at(run, "results") as unknown[]);
    return all(results.map(fromSarif));
  } catch {
    return undefined;
  }
}

function fromJson(finding: unknown): unknown {
  const { fingerprint, file, line, severity, title } = finding as Record<string, unknown>;
  return { fingerprint, file, line, severity, title };
}

function fromSarif(result: unknown): unknown {
  const { fingerprint, severity } = at(result, "properties") as Record<string, unknown>;
  const place = at((at(result, "locations") as unknown[])[0], "physicalLocation");
  return {
    fingerprint,
    file: decodeURIComponent(String(at(at(place, "artifactLocation"), "uri"))),
    line: at(at(place, "region"), "startLine"),
    severity,
    title: String(at(at(result, "message"), "text")).split(". ")[0],
  };
}

function at(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

function all(values: readonly unknown[]): KnownFinding[] | undefined {
  return values.every(isKnown) ? [...values] : undefined;
}

function isKnown(value: unknown): value is KnownFinding {
  const { fingerprint, file, line, severity, title } = value as Partial<KnownFinding>;
  return (
    [fingerprint, file, severity, title].every((text) => typeof text === "string") && Number.isInteger(line)
  );
}

/** What of two lists is in the second alone, in the first alone, and in both (as the second has it). */
export function findingsDiff(
  before: readonly KnownFinding[],
  after: readonly KnownFinding[],
): { added: KnownFinding[]; gone: KnownFinding[]; same: KnownFinding[] } {
  const known = (list: readonly KnownFinding[]) => new Set(list.map(({ fingerprint }) => fingerprint));
  const [old, now] = [known(before), known(after)];
  return {
    added: after.filter(({ fingerprint }) => !old.has(fingerprint)),
    gone: before.filter(({ fingerprint }) => !now.has(fingerprint)),
    same: after.filter(({ fingerprint }) => old.has(fingerprint)),
  };
}

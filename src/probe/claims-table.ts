import type { CaseReport } from "./run-probe.ts";

/** What the table is made of. */
export type Judged = Pick<CaseReport, "family" | "claim" | "outcome" | "heldBy" | "why">;

const CLAIMS = ["confidentiality", "integrity", "availability", "honesty"] as const;

/** Markdown: what was claimed against which attacks, how many held in two layers or more, and what held alone and why. */
export function claimsTable(reports: readonly Judged[]): string {
  const rows = CLAIMS.flatMap((claim) => {
    const families = new Set(reports.filter((report) => report.claim === claim).map(({ family }) => family));
    return [...families].map((family) =>
      rowOf(
        claim,
        family,
        reports.filter((report) => report.claim === claim && report.family === family),
      ),
    );
  });
  return [
    "| claim | attacks | cases | held in layers, any one of which may be missing | held by one alone |",
    "|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function rowOf(claim: string, family: string, reports: readonly Judged[]): string {
  const tried = reports.filter(({ outcome }) => outcome !== "not_applicable");
  const held = counted(
    tried.filter(({ outcome }) => outcome === "held").map(({ heldBy }) => heldBy.join(", ")),
  );
  const alone = counted(
    tried
      .filter(({ outcome }) => outcome === "single")
      .map(({ heldBy, why }) => `${heldBy.join(", ")} (${why[0]})`),
  );
  return `| ${claim} | ${family} | ${tried.length} | ${held} | ${alone} |`;
}

/** `3 by a; 1 by b`, the most first. */
function counted(texts: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts]
    .toSorted(([one, a], [other, b]) => b - a || one.localeCompare(other))
    .map(([text, count]) => `${count} by ${text}`)
    .join("; ");
}

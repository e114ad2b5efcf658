import { showPlural } from "../text/show.ts";
import type { IgnoreRules } from "./ignore-rules.ts";
import type { WalkReport } from "./walk-report.ts";

/** What a walk left out against expectation, one sentence each; nothing when nothing was. */
export function walkNotes(report: WalkReport, rules: IgnoreRules | undefined): string[] {
  const unusable = rules?.unusable.length ?? 0;
  const said: [count: number, sentence: string][] = [
    [
      Number(report.evidenceFull),
      "The search ended early: it would report from too many places. Narrow it down.",
    ],
    [report.refused, `${showPlural(report.refused, "entry", "entries")} could not be opened.`],
    [report.tooDeep, `${showPlural(report.tooDeep, "directory", "directories")} not looked into: too deep.`],
    [
      report.cutDirectories,
      `${showPlural(report.cutDirectories, "directory", "directories")} read in part only.`,
    ],
    [unusable, `${showPlural(unusable, "ignore file")} not obeyed: beyond the limits.`],
  ];
  return said.filter(([count]) => count > 0).map(([, sentence]) => sentence);
}

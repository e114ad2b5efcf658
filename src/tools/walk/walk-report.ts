/** What a walk did not look at; counts. */
export interface WalkReport {
  /** Named by an ignore file. */
  ignored: number;
  /** Refused by the guard or the system. */
  refused: number;
  /** Directories deeper than the walk goes. */
  tooDeep: number;
  /** Directories that had more entries than were listed. */
  cutDirectories: number;
  /** The call may not report from more places: the walk ended there. */
  evidenceFull: boolean;
}

export function newWalkReport(): WalkReport {
  return { ignored: 0, refused: 0, tooDeep: 0, cutDirectories: 0, evidenceFull: false };
}

/** Whether the walk saw less than it was asked to look at. */
export function isCut(report: WalkReport): boolean {
  return report.tooDeep > 0 || report.cutDirectories > 0 || report.evidenceFull;
}

/** What `ruizn review` is made of. */
export { fingerprintsOf } from "./baseline.ts";
export { coverageOf } from "./coverage.ts";
export { atLeast, SEVERITIES, type Severity } from "./finding.ts";
export { type Format, formatted, FORMATS } from "./formats.ts";
export { notesOf, openFindings, type ReviewReport } from "./report.ts";
export { selected, tryScan } from "./review.ts";
export type { ScopeRequest } from "./scope.ts";

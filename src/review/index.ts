/** What `ruizn review` is made of. */
export { findingsDiff, type KnownFinding, knownFindings } from "./baseline.ts";
export { atLeast, SEVERITIES, type Severity } from "./finding.ts";
export { type Format, formatted, FORMATS } from "./formats.ts";
export { ModelReview, REVIEW_TOOLS } from "./model-review.ts";
export { type ModelPart, notesOf, openFindings, type ReviewReport } from "./report.ts";
export { type ScannedScope, selected, tryScan } from "./review.ts";
export type { ScopeRequest } from "./scope.ts";

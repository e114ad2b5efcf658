/** `held`: by two layers at least; `single`: by one alone; `degraded`: held, but later or louder than promised. */
export const OUTCOMES = ["held", "single", "degraded", "escaped", "not_applicable", "error"] as const;
export type Outcome = (typeof OUTCOMES)[number];

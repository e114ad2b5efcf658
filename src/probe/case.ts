import type { Stage } from "./stage.ts";

/** What an escape would take away. */
export type Claim = "confidentiality" | "integrity" | "availability" | "honesty";

/** Layers that the harness can switch off one at a time, to see which of them hold a case. */
export const LAYERS = ["main-guard", "worker-guard", "seal", "host-permission", "re-check"] as const;
export type Layer = (typeof LAYERS)[number];

/** One attack, as a small program that is run on a stage. Many are made from rows of data by their family's file. */
export interface ProbeCase {
  /** Unique: two or three letters of the family and a number. */
  readonly id: string;
  readonly family: string;
  /** What the attack does, to be read after "an attack that". */
  readonly title: string;
  readonly claim: Claim;
  /** Layers that could hold it and can be switched off; the others are named in `heldBy`. */
  readonly layers: readonly Layer[];
  /** What holds it besides, in words: schema, deadline, printer, redaction. */
  readonly heldBy?: string;
  /** Where it comes from: an advisory, another project's tests, thought out. */
  readonly source: string;
  /** Why it can't be run here; undefined: it can. */
  readonly notHere?: (stage: Stage) => string | undefined;
  /** Measures times, threads, descriptors or memory of the whole process: runs with nothing beside it. */
  readonly alone?: true;
  /** Tells the stage what escaped. What it throws is a mistake of the case itself. */
  readonly run: (stage: Stage) => Promise<void> | void;
}

/** A row of a family's table: what all of its cases have in common is said once. */
export type CaseRow = Omit<ProbeCase, "family" | "claim" | "layers" | "source"> &
  Partial<Pick<ProbeCase, "claim" | "layers" | "source">>;

/** A family's cases from rows. */
export function family(
  name: string,
  common: Pick<ProbeCase, "claim" | "layers"> & Partial<Pick<ProbeCase, "source" | "notHere" | "alone">>,
  rows: readonly CaseRow[],
): ProbeCase[] {
  return rows.map((row) => ({ source: "thought out", ...common, ...row, family: name }));
}

/** Every way a worker's reply can be found out. A closed set: `violation.check` of a result, and the event's. */
export const RECHECK_CHECKS = [
  "shape",
  "head_size",
  "head_json",
  "plain_json",
  "schema",
  "nonce",
  "error_type",
  "bytes",
  "size",
  "unicode",
  "image",
  "evidence_missing",
  "evidence_access",
  "evidence_by_name",
  "evidence_path",
  "evidence_denied",
  "evidence_device",
] as const;

export type RecheckCheck = (typeof RECHECK_CHECKS)[number];

/** Stops the re-check at the first thing that is wrong. Never leaves recheckReply. */
export class Rejection extends Error {
  readonly check: RecheckCheck;

  constructor(check: RecheckCheck, detail: string) {
    super(detail);
    this.check = check;
  }
}

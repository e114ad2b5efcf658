import { randomBytes } from "node:crypto";

/** Name of the copy that a write makes beside a file. Of its own length: a name of full length can be replaced too. */
export function newTempName(): string {
  return `.ruizn-${randomBytes(16).toString("hex")}.tmp`;
}

export function isTempName(name: string): boolean {
  return /^\.ruizn-[0-9a-f]{32}\.tmp$/.test(name);
}

import type { ToolErrorType } from "../../errors.ts";
import type { AttackTree } from "../attack-tree.ts";

export type AttackOutcome = ToolErrorType | "ok";

/**
 * One hostile path. What holds for every one of them, whatever the outcome: the canary is in no result (unless
 * `showsCanary`), and the tree's fingerprint does not change.
 */
export interface PathAttack {
  readonly id: string;
  readonly title: string;
  readonly arrange?: (tree: AttackTree) => void;
  readonly path: string | ((tree: AttackTree) => string);
  /** What may come of reading, writing and listing it; left out where that is no case of its own. */
  readonly read?: readonly AttackOutcome[];
  readonly write?: readonly AttackOutcome[];
  readonly list?: readonly AttackOutcome[];
  /** All that a read that is `ok` may show. */
  readonly shows?: string;
  /** Reading is allowed by rule and reported: a hard link can't be told from any other name. */
  readonly showsCanary?: true;
}

export function pathOf(attack: PathAttack, tree: AttackTree): string {
  return typeof attack.path === "string" ? attack.path : attack.path(tree);
}

/** The same outcomes for reading, writing and listing. */
export function always(...outcomes: AttackOutcome[]): Pick<PathAttack, "read" | "write" | "list"> {
  return { read: outcomes, write: outcomes, list: outcomes };
}

/** Nothing of that name for a read; the write that would make it has outcomes of its own. */
export function missing(...write: AttackOutcome[]): Pick<PathAttack, "read" | "write" | "list"> {
  return { read: ["not_found"], list: ["not_found"], write };
}

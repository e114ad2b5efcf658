import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AttackTree } from "./attack-tree.ts";
import { LINK_ATTACKS } from "./path-attacks/link-attacks.ts";
import type { PathAttack } from "./path-attacks/path-attack.ts";
import { SPECIAL_ATTACKS } from "./path-attacks/special-attacks.ts";
import { TEXT_ATTACKS } from "./path-attacks/text-attacks.ts";

export { pathOf, type AttackOutcome, type PathAttack } from "./path-attacks/path-attack.ts";

/** Every hostile path, for the guard's own tests, for each tool's and for those of the layers together. */
export const PATH_ATTACKS: readonly PathAttack[] = [...TEXT_ATTACKS, ...LINK_ATTACKS, ...SPECIAL_ATTACKS];

/**
 * A workspace in which a walk meets everything that it must not follow or wait for. The names that a walk of "." may
 * report, besides those of the fixture, are all beneath `trap`; the canary is in none of their contents but denied ones.
 */
export function arrangeTraps(tree: AttackTree): void {
  const trap = join(tree.root, "trap");
  mkdirSync(join(trap, "deep"), { recursive: true });
  symlinkSync(join(tree.outside, "secret.txt"), join(trap, "file-link"));
  symlinkSync(tree.outside, join(trap, "directory-link"));
  symlinkSync("..", join(trap, "deep", "up"));
  symlinkSync("/dev/zero", join(trap, "device-link"));
  symlinkSync("nowhere", join(trap, "dangling"));
  tree.mkfifo(join(trap, "fifo"));
  writeFileSync(join(trap, ".env"), tree.canary);
  writeFileSync(join(trap, "id_rsa"), tree.canary);
  writeFileSync(join(trap, "new\nline"), "plain\n");
  writeFileSync(join(trap, "escape\x1b[31m"), "plain\n");
  writeFileSync(Buffer.concat([Buffer.from(`${trap}/bytes`), Buffer.from([0xff, 0xfe])]), "plain\n");
}

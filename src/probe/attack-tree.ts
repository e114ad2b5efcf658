import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What every attack starts from: a workspace, and beside it what must stay unread and unchanged. */
export interface AttackTree {
  readonly base: string;
  /** The workspace: holds ok.txt ("ok\n") and sub/in.txt ("in\n"). */
  readonly root: string;
  /** Holds secret.txt and sub/secret.txt with the canary. */
  readonly outside: string;
  /** A sibling whose name begins with the root's; secret.txt with the canary. */
  readonly evil: string;
  readonly canary: string;
  /** Changes when anything in outside or evil does: names, kinds, modes, times, inodes, content. */
  fingerprint(): string;
  mkfifo(path: string): void;
  /** Makes the workspace anew, in the same folder: workers that are sealed to it serve on. */
  reset(): void;
  remove(): void;
}

export function makeAttackTree(parent: string = tmpdir()): AttackTree {
  const base = realpathSync(mkdtempSync(join(parent, "ruizn-attack-")));
  const [root, outside, evil] = [join(base, "root"), join(base, "outside"), join(base, "rootevil")];
  const canary = randomBytes(16).toString("hex");
  for (const folder of [root, join(outside, "sub"), evil]) mkdirSync(folder, { recursive: true });
  fill(root);
  for (const folder of [outside, join(outside, "sub"), evil])
    writeFileSync(join(folder, "secret.txt"), canary);
  return {
    base,
    root,
    outside,
    evil,
    canary,
    fingerprint: () => fingerprintOf([outside, evil]),
    mkfifo: (path) => void execFileSync("mkfifo", [path]),
    reset: () => {
      for (const name of readdirSync(root, { encoding: "buffer" }))
        removeAll(Buffer.concat([Buffer.from(`${root}/`), name]));
      fill(root);
    },
    remove: () => removeAll(Buffer.from(base)),
  };
}

/** On Node 20 `rmSync` calls itself for each level, and a case may have made thousands. */
function removeAll(path: Buffer): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    execFileSync("rm", ["-rf", "--", path.toString("latin1")]);
  }
}

function fill(root: string): void {
  mkdirSync(join(root, "sub"));
  writeFileSync(join(root, "ok.txt"), "ok\n");
  writeFileSync(join(root, "sub", "in.txt"), "in\n");
}

function fingerprintOf(folders: readonly string[]): string {
  const hash = createHash("sha256");
  for (const folder of folders) {
    for (const name of [".", ...readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted()]) {
      const path = join(folder, name);
      const { mode, ino, mtimeMs, size } = lstatSync(path);
      hash.update(JSON.stringify([path, mode, ino, mtimeMs, size]));
      if (lstatSync(path).isFile()) hash.update(readFileSync(path));
    }
  }
  return hash.digest("hex");
}

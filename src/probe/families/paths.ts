import { lstatSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import type { ProbeCase } from "../case.ts";
import { PATH_ATTACKS, type PathAttack, pathOf } from "../path-attacks.ts";
import type { Stage } from "../stage.ts";

/** Families whose attack is a path: each is tried by reading, listing and writing what the path names. */
const FAMILIES: Record<string, string> = {
  PT: "path-traversal",
  AP: "absolute-path",
  PX: "prefix-confusion",
  CF: "case-folding",
  UE: "unicode-encoding",
  PS: "path-size",
  SL: "symlink",
  HL: "hardlink",
  SF: "special-files",
};

const USES = [
  { access: "list", tool: "list_dir", input: (path: string) => ({ path }) },
  { access: "read", tool: "read_file", input: (path: string) => ({ path }) },
  {
    access: "write",
    tool: "write_file",
    input: (path: string) => ({ path, content: "attack", overwrite: true }),
  },
] as const;

export const PATH_CASES: readonly ProbeCase[] = PATH_ATTACKS.map((attack) => ({
  id: attack.id,
  family: FAMILIES[attack.id.slice(0, 2)] ?? "path-traversal",
  title: `names a path that ${attack.title}`,
  claim: attack.read === undefined ? "integrity" : "confidentiality",
  layers: ["main-guard", "worker-guard", "seal", "re-check"],
  source: "advisories on path traversal (CVE-2025-53109, CVE-2025-53110), Go's os.Root tests",
  run: (stage) => attackBy(attack, stage),
}));

async function attackBy(attack: PathAttack, stage: Stage): Promise<void> {
  for (const { access, tool, input } of USES) {
    const outcomes = attack[access];
    stage.tree.reset();
    attack.arrange?.(stage.tree);
    const path = pathOf(attack, stage.tree);
    if (outcomes === undefined || (access === "write" && mayHarm(path, stage))) continue;
    const result = await stage.call(tool, input(path), attack.showsCanary ? { mayShow: true } : {});
    // What would be missing for a reader is made by a writer, with the folders above it, where the path is short enough.
    const makes = access === "write" && outcomes.includes("not_found");
    stage.expects(result, makes ? [...outcomes, "ok", "invalid_input"] : outcomes);
    if (access !== "read" || result.isError || attack.shows === undefined) continue;
    const [block] = result.content;
    stage.holds(block?.type === "text" && block.text === attack.shows, "it shows more than it may");
  }
}

/** A path as long as the system takes makes folders that nobody can clear away again. */
const LONG = 1_000;

/** Without guards, a write that would not end in the stage's own folder is not made: the machine is not at stake. */
function mayHarm(path: string, { tree, options }: Stage): boolean {
  const { mainGuard, workerGuard } = options.switches ?? {};
  if (mainGuard !== "off" || workerGuard !== "off") return false;
  const end = whereItEnds(resolve(tree.root, path));
  return path.length >= LONG || end === undefined || !`${end}/`.startsWith(`${tree.base}/`);
}

/** The real path of what a write to this name would make or change; undefined when that is not clear. */
function whereItEnds(path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return mayBeLink(path) || parent === path ? undefined : whereItEnds(parent);
  }
}

function mayBeLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

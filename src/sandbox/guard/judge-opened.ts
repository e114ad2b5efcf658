import { statfsSync, type Stats } from "node:fs";
import { ToolFailure } from "../../tools/tool-body.ts";
import { deniedPath, type PathAccess } from "./denied-paths.ts";
import { notRegular } from "./open-failure.ts";
import { segmentsBeneath, shown, splitPath } from "./path-text.ts";

const DELETED = " (deleted)";
// procfs, sysfs, devpts, cgroup2, debugfs, tracefs, securityfs, bpf, nsfs: answers of the kernel, not files.
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([
  0x9fa0, 0x62656572, 0x1cd1, 0x63677270, 0x64626720, 0x74726163, 0x73636673, 0xcafe4a11, 0x6e736673,
]);

export interface OpenedFacts {
  readonly asked: string;
  readonly realPath: string;
  readonly stat: Stats;
  readonly access: PathAccess;
  /** How the system reaches what was opened: through the descriptor, where it can. */
  readonly reach: string;
}

/**
 * Judges what was opened, by what the descriptor says of itself.
 * @returns the path's segments beneath the root
 */
export function judgeOpened(root: { path: string; dev: number }, facts: OpenedFacts): string[] {
  const { asked, realPath, stat } = facts;
  const kind = specialKind(stat);
  if (kind !== undefined) throw new ToolFailure("invalid_input", notRegular(asked, kind));
  if (realPath.endsWith(DELETED) && !(asked.endsWith(DELETED) && stat.nlink > 0)) {
    throw new ToolFailure("not_found", `${shown(asked)} was removed while it was being opened`);
  }
  const inside = segmentsBeneath(splitPath(realPath), root.path);
  if (!inside) throw new ToolFailure("permission_error", `${shown(asked)} lies outside the workspace`);
  const denied = deniedPath(inside, facts.access);
  if (denied !== undefined) throw new ToolFailure("permission_error", `${shown(inside.join("/"))} ${denied}`);
  if (stat.dev !== root.dev && isKernelFileSystem(facts.reach)) {
    throw new ToolFailure(
      "permission_error",
      `${shown(asked)} is in a file system of the kernel, which no tool may open`,
    );
  }
  return inside;
}

function specialKind(stat: Stats): string | undefined {
  if (stat.isFile() || stat.isDirectory()) return undefined;
  if (stat.isFIFO()) return "a FIFO";
  if (stat.isSocket()) return "a socket";
  return stat.isSymbolicLink() ? "a symlink" : "a device";
}

/** Another device beneath the root is a mount (or a layer of one); asked only then, to keep the common case short. */
function isKernelFileSystem(reach: string): boolean {
  try {
    return KERNEL_FILE_SYSTEMS.has(statfsSync(reach).type);
  } catch {
    return true;
  }
}

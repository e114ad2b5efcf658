import { dirname, join } from "node:path";

export interface PermissionOptions {
  /** As in `process.versions.node`. */
  nodeVersion: string;
  read: readonly string[];
  write: readonly string[];
}

/** The first minor version of a line in which the flag lost its `experimental`. */
const STABLE_SINCE: Readonly<Record<number, number>> = { 22: 13, 23: 5 };
const LAST_EXPERIMENTAL_LINE = 23;

/** Node reads these in a path as more than one path, or as any. */
const AMBIGUOUS = /[*,]/;

/**
 * Node's own permission model, a layer that needs no kernel: no program, no path besides these. Native code is allowed
 * on Linux alone, where the host's seal needs it. Empty where a path cannot be written as a flag.
 */
export function permissionFlags({ nodeVersion, read, write }: PermissionOptions): string[] {
  if ([...read, ...write].some((path) => AMBIGUOUS.test(path))) return [];
  const [line = 0, minor = 0] = nodeVersion.split(".").map(Number);
  const stable = line > LAST_EXPERIMENTAL_LINE || minor >= (STABLE_SINCE[line] ?? Number.POSITIVE_INFINITY);
  const readable = [...read, ...read.flatMap(packageFilesAbove)];
  return [
    stable ? "--permission" : "--experimental-permission",
    "--allow-worker",
    ...(process.platform === "linux" ? ["--allow-addons"] : []),
    ...outermost(readable).map((path) => `--allow-fs-read=${path}`),
    ...outermost(write).map((path) => `--allow-fs-write=${path}`),
  ];
}

/** Node looks for a package.json in the folders above a module, and fails where it may not look. */
function packageFilesAbove(path: string): string[] {
  const above: string[] = [];
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    above.push(join(folder, "package.json"));
    if (dirname(folder) === folder) return above;
  }
}

/** Each once, and none that lies in another: Node 20 aborts when a path is given twice. */
function outermost(paths: readonly string[]): string[] {
  const unique = [...new Set(paths)];
  return unique.filter((path) => !unique.some((other) => path.startsWith(`${other}/`)));
}

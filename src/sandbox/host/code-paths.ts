import { existsSync, lstatSync, readlinkSync, realpathSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve, sep } from "node:path";

/** Where the code lies that a tool host and its threads load. */
export interface HostCode {
  entry: string;
  /** What the host must be able to read besides the workspace: the kernel seal allows nothing else. */
  paths: readonly string[];
  /** Folders by whose names Node finds these packages, whatever installed them: for its permission model. */
  lookup: readonly string[];
}

const PACKAGES = ["piscina", "koffi"];

/** koffi is optional: without it there is nothing of it to read. */
export function hostCode(): HostCode {
  const require = createRequire(import.meta.url);
  const entry = require.resolve("#workers/tool-host.cjs");
  const found = PACKAGES.flatMap((name) => {
    const modules = require.resolve.paths(name)?.find((folder) => existsSync(join(folder, name)));
    return modules === undefined ? [] : [{ name, modules, folder: realpathSync(join(modules, name)) }];
  });
  const folders = found.map(({ folder }) => folder);
  return {
    entry,
    // Node asks the package.json how files of the package are to be read.
    paths: [dirname(entry), packageFile(entry), ...folders, ...folders.flatMap(addonFolder)],
    lookup: found.flatMap(({ modules, folder, name }) => [
      modules,
      ...linksOnTheWay(join(modules, name)),
      modulesAbove(folder),
    ]),
  };
}

/** dist/workers/NAME is two folders below it. */
function packageFile(entry: string): string {
  return join(dirname(entry), "..", "..", "package.json");
}

/** koffi's addon for this system is a package of its own. */
function addonFolder(folder: string): string[] {
  try {
    const addon = `@koromix/koffi-${process.platform}-${process.arch}`;
    return [dirname(createRequire(join(folder, "package.json")).resolve(addon))];
  } catch {
    return [];
  }
}

const HOPS_MAX = 40;

/** Every symbolic link that leads from a path to its real one: Node looks at each, and has to be let. */
function linksOnTheWay(path: string): string[] {
  const links: string[] = [];
  let at = path;
  for (let hops = 0; hops < HOPS_MAX; hops++) {
    const link = firstLink(at);
    if (link === undefined) break;
    links.push(link);
    at = join(resolve(dirname(link), readlinkSync(link)), at.slice(link.length));
  }
  return links;
}

function firstLink(path: string): string | undefined {
  const segments = path.split(sep);
  const prefixes = segments.map((_, index) => segments.slice(0, index + 1).join(sep)).filter(Boolean);
  return prefixes.find((prefix) => lstatSync(prefix).isSymbolicLink());
}

function modulesAbove(folder: string): string {
  const segments = folder.split(sep);
  return segments.slice(0, segments.lastIndexOf("node_modules") + 1).join(sep) || folder;
}

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The folder that a sealed worker must be able to read to load a tool's module: that of the nearest package.json. */
export function modulePackageFolder(moduleUrl: string): string {
  const start = dirname(fileURLToPath(moduleUrl));
  for (let folder = start; dirname(folder) !== folder; folder = dirname(folder)) {
    if (existsSync(join(folder, "package.json"))) return folder;
  }
  // No package at all: the module's own folder, and never the root of the file system.
  return start;
}

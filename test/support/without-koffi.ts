import { cpSync, mkdirSync, readdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { tempFolder } from "../cli/cli-process.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));

/** The package as npm leaves it with --omit=optional: as on a system that has no seal. */
export function withoutKoffi(): string {
  const folder = tempFolder();
  cpSync(join(PROJECT, "dist"), join(folder, "dist"), { recursive: true });
  cpSync(join(PROJECT, "package.json"), join(folder, "package.json"));
  mkdirSync(join(folder, "node_modules"));
  for (const name of readdirSync(join(PROJECT, "node_modules"))) {
    if (name === "koffi" || name === "@koromix") continue;
    symlinkSync(join(PROJECT, "node_modules", name), join(folder, "node_modules", name));
  }
  return join(folder, "dist/bin/ruizn.js");
}

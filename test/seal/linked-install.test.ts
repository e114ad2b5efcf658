import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cliEnv, tempFolder } from "../cli/cli-process.ts";
import { SEALABLE } from "./sealed-place.ts";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const MODULES = join(PROJECT, "node_modules");
const ADDON = `@koromix/koffi-${process.platform}-${process.arch}`;

/** A project with the package as pnpm lays it out: each package in a folder of its own, found by links alone. */
function linkedInstall(): { project: string; bin: string } {
  const project = realpathSync(tempFolder({ "a.txt": "alpha\n" }));
  const store = (name: string) =>
    join(project, "node_modules/.pnpm", `${name.replace("/", "+")}@1`, "node_modules");
  const link = (target: string, path: string) => {
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
  };
  const own = join(store("ruizn"), "ruizn");
  cpSync(join(PROJECT, "dist"), join(own, "dist"), { recursive: true });
  cpSync(join(PROJECT, "package.json"), join(own, "package.json"));
  for (const name of ["piscina", "koffi", ADDON]) {
    if (!existsSync(join(MODULES, name))) continue;
    cpSync(join(MODULES, name), join(store(name), name), { recursive: true });
  }
  link(join(store(ADDON), ADDON), join(store("koffi"), ADDON));
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(PROJECT, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const kept = join(store(name), name);
    link(existsSync(kept) ? kept : realpathSync(join(MODULES, name)), join(store("ruizn"), name));
  }
  link(own, join(project, "node_modules/ruizn"));
  return { project, bin: join(project, "node_modules/ruizn/dist/bin/ruizn.js") };
}

describe.runIf(SEALABLE)("a package whose dependencies are links", () => {
  test("has its tools sealed in a host like any other", () => {
    const { project, bin } = linkedInstall();
    writeFileSync(
      join(project, "t.mjs"),
      `import { readFileSync } from "node:fs";
       export default { name: "t", description: "Reads.", inputSchema: { type: "object" },
         invoke: () => readFileSync("a.txt", "utf8") };`,
    );
    const args = [bin, "tools", "call", "t", "{}", "--tool", "t.mjs", "--require-seal", "--json"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      cwd: project,
      env: cliEnv(),
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      error_type: null,
      isolation: "process",
      seal: "held",
      content: [{ type: "text", text: "alpha\n" }],
    });
  }, 60_000);
});

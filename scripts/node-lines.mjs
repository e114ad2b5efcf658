// Runs the built tests and the main job on the Node lines that this machine does not have, from npm's own Node packages.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const LINES = { 20: "20.20.2", 22: "22.23.3", 24: "24.21.0" };

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const cache = ".cache/node-lines";
mkdirSync(cache, { recursive: true });

const here = process.versions.node.split(".")[0];
for (const [line, version] of Object.entries(LINES)) {
  if (line === here) continue;
  const node = install(line, version);
  console.log(`--- Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}`);
  // What counts for more by its number than by the line it runs on is done in full on this machine's line.
  const env = { ...process.env, RUIZN_TEST_LESS: "1" };
  const run = (...args) => execFileSync(node, args, { stdio: "inherit", env });
  run(
    "dist/bin/ruizn.js",
    "run",
    "--goal",
    "读取当前目录下的 README.md",
    "--log-dir",
    `${cache}/runs-${line}`,
  );
  run("node_modules/vitest/vitest.mjs", "run");
}

function install(line, version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = `${cache}/${line}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, "{}");
  execFileSync("npm", ["install", "--no-audit", "--no-fund", "--silent", `${name}@${version}`], {
    cwd: folder,
  });
  return `${process.cwd()}/${folder}/node_modules/${name}/bin/node`;
}

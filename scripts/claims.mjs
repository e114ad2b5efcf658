// Writes SECURITY.md's table of claims from what the probe finds here: node scripts/claims.mjs [probe.json]
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("..", import.meta.url)));
const { claimsTable } = await import("../dist/src/probe/claims-table.js");

const [file] = process.argv.slice(2);
const json =
  file === undefined
    ? execFileSync(process.execPath, ["dist/bin/ruizn.js", "probe", "--json"], { maxBuffer: 1 << 28 })
    : readFileSync(file);
const { cases } = JSON.parse(json.toString());
const table = claimsTable(cases.map(({ held_by, ...rest }) => ({ ...rest, heldBy: held_by })));
const page = readFileSync("SECURITY.md", "utf8");
const filled = page.replace(
  /(<!-- claims: begin -->\n)[^]*?(<!-- claims: end -->)/,
  (_, begin, end) => `${begin}\n${table}\n\n${end}`,
);
if (filled === page) console.log("SECURITY.md is as it was");
writeFileSync("SECURITY.md", filled);

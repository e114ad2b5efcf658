import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { UserTool } from "../tools/user/user-tool.ts";

/**
 * A tool of one's own whose input is the code that it runs: the worst tool there can be, and one for all cases, so
 * that its hosts stay warm. `require` and `load` (import) give it all of Node; `raw` leaves RuiZN's own context out.
 */
const MODULE = `import { createRequire } from "node:module";
const require = createRequire(import.meta.url);
const Program = (async () => {}).constructor;
export default {
  name: "hostile",
  description: "Runs code.",
  inputSchema: { type: "object" },
  invoke: ({ code, args }, context) =>
    new Program("require", "load", "context", "args", code)(require, (name) => import(name), context, args),
};
`;

const INPUT = {
  type: "object",
  additionalProperties: false,
  required: ["code"],
  properties: { code: { type: "string" }, args: {} },
};

export interface HostileTools {
  read: UserTool;
  write: UserTool;
  /** Another module beside it, for what happens while a module loads. */
  module(name: string, source: string): UserTool;
}

/** Writes the module into a package of its own, outside of the workspace: as a tool from elsewhere lies. */
export function makeHostileTools(folder: string): HostileTools {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }\n');
  const module = (name: string, source: string, workspace: "read" | "write" = "read"): UserTool => {
    const file = join(folder, `${name}.mjs`);
    writeFileSync(file, source);
    const facts = { description: "Runs code.", inputSchema: INPUT, idempotent: true, timeoutMs: null };
    const toolName = workspace === "write" ? `${name}_write` : name;
    return new UserTool({ ...facts, name: toolName, workspace }, pathToFileURL(file).href);
  };
  return { read: module("hostile", MODULE), write: module("hostile", MODULE, "write"), module };
}

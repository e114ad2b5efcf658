import { symlinkSync, writeFileSync } from "node:fs";
import { env } from "node:process";
import { join } from "node:path";
import { text, toolUse, turn } from "../../testing/reply.ts";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { mustFail } from "../hostile-row.ts";
import { RUN_KEY } from "../run-attack.ts";
import type { Stage } from "../stage.ts";

/** The canary stands in this process's environment and memory while the case runs, as a key would. */
const NAME = "RUIZN_PROBE_PLANTED";
function plant(stage: Stage): void {
  env[NAME] = stage.canary;
  stage.after(() => delete env[NAME]);
}

/** Code that looks for the canary, in pieces so that it is not in the code itself. The stage sees it in any result. */
function look(id: string, title: string, code: string, more: Partial<CaseRow> = {}): CaseRow {
  return {
    id,
    title,
    ...more,
    run: async (stage) => {
      plant(stage);
      const result = await stage.attack(code, {
        timeoutMs: 2_000,
        args: { root: stage.tree.root, outside: stage.tree.outside },
      });
      stage.holds(!JSON.stringify(result.content).includes("ESCAPED"), "nothing refused it");
    },
  };
}

/** Reading it, or reading anything from it where its being there is no secret, is an escape. */
const read = (path: string): string => mustFail(`require('fs').readFileSync(${path}, 'latin1');`);
const readAny = (path: string): string =>
  `return require('fs').readFileSync(${path}, 'latin1') === '' ? 'empty' : 'ESCAPED';`;

const PROCESS: CaseRow[] = [
  look("SE-001", "reads its environment", "return JSON.stringify(process.env);"),
  look("SE-001b", "reads its environment from the kernel", readAny("'/proc/self/environ'")),
  look("SE-001c", "reads its thread's environment", readAny("'/proc/thread-self/environ'")),
  look("SE-002", "reads its parent's environment", read("'/proc/' + process.ppid + '/environ'")),
  look(
    "SE-002b",
    "reads the environment of every other process",
    "const fs = require('fs'); for (const p of fs.readdirSync('/proc')) { try { if (Number(p) !== process.pid && fs.readFileSync('/proc/' + p + '/environ').length > 0) return 'ESCAPED ' + p; } catch {} } return 'nothing';",
  ),
  look(
    "SE-003",
    "reads its parent's memory",
    `${mustFail("require('fs').openSync('/proc/' + process.ppid + '/mem', 'r');")}`,
  ),
  look("SE-003b", "reads the memory map of its parent", read("'/proc/' + process.ppid + '/maps'")),
  look("SE-004", "reads its parent's command line", read("'/proc/' + process.ppid + '/cmdline'")),
  look(
    "SE-004b",
    "reads the report of the process",
    "return JSON.stringify(process.report.getReport()).slice(0, 800000);",
  ),
  look(
    "SE-004c",
    "writes a heap snapshot into the workspace",
    mustFail("require('v8').writeHeapSnapshot(args.root + '/heap');"),
  ),
  look(
    "SE-006",
    "reads keys in the home directory",
    "const fs = require('fs'), os = require('os'); let all = ''; for (const f of ['.ssh/id_rsa', '.netrc', '.npmrc', '.aws/credentials', '.bash_history']) { try { all += fs.readFileSync(os.homedir() + '/' + f); } catch {} } return all === '' ? 'nothing' : 'ESCAPED';",
  ),
  look("SE-006b", "reads the users of the machine", mustFail("require('fs').readFileSync('/etc/passwd');")),
  look(
    "SE-006c",
    "reads what lies beside the workspace",
    mustFail("require('fs').readFileSync(args.outside + '/secret.txt');"),
    { layers: ["seal", "host-permission"] },
  ),
  look(
    "SE-006d",
    "reads it by promise",
    mustFail("await require('fs').promises.readFile(args.outside + '/secret.txt');"),
    { layers: ["seal", "host-permission"] },
  ),
  look(
    "SE-006e",
    "reads it by a stream",
    mustFail(
      "await new Promise((go, no) => require('fs').createReadStream(args.outside + '/secret.txt').on('data', go).on('error', no));",
    ),
    { layers: ["seal", "host-permission"] },
  ),
  look("SE-006f", "loads it as a module", "return String(await load(args.outside + '/secret.txt'));", {
    layers: [],
    heldBy: "seal and permissions, which stand behind a loader that takes no text",
  }),
  {
    id: "SE-006g",
    title: "reads it through a link that lies in the workspace",
    layers: ["seal", "host-permission"],
    run: async (stage) => {
      const { root, outside } = stage.tree;
      symlinkSync(join(outside, "secret.txt"), join(root, "l"));
      await stage.attack("return require('fs').readFileSync(args.root + '/l', 'utf8');", { args: { root } });
    },
  },
  look(
    "SE-006h",
    "copies it into the workspace",
    mustFail("require('fs').copyFileSync(args.outside + '/secret.txt', args.root + '/copy');"),
    { layers: ["seal", "host-permission"] },
  ),
  look("SE-006i", "asks for the size of it", mustFail("require('fs').opendirSync(args.outside);"), {
    layers: ["seal", "host-permission"],
  }),
];

const RUN: CaseRow[] = [
  {
    id: "SE-005",
    title: "makes the server tell the key back in an error",
    run: async (stage) => {
      const message = `invalid key ${RUN_KEY} at http://user:${stage.canary}@proxy`;
      const { result } = await stage.run({ script: () => ({ status: 401, message }), mayShow: true });
      stage.holds(result.errors[0]?.code === "auth_failed", `the run ended with ${result.errors[0]?.code}`);
    },
  },
  {
    id: "SE-007",
    title: "sends the request on to another server",
    run: async (stage) => {
      let heard = 0;
      const { createServer } = await import("node:http");
      const server = createServer((_, response) => {
        heard += 1;
        response.end();
      });
      await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
      stage.after(() => server.close());
      const { port } = server.address() as { port: number };
      const headers = { location: `http://127.0.0.1:${port}/v1/messages` };
      await stage.run({ script: () => ({ raw: "", status: 307, headers }), provider: { maxRetries: 0 } });
      stage.holds(heard === 0, "the redirect was followed");
    },
  },
  {
    id: "SE-008",
    title: "asks for a file that holds a key of the run",
    run: async (stage) => {
      writeFileSync(join(stage.tree.root, "notes.txt"), `the key is ${RUN_KEY}\n`);
      await stage.run({
        script: [toolUse("read_file", { path: "notes.txt" }), text("done")],
        options: { secrets: [{ name: "key", value: RUN_KEY }] },
      });
    },
  },
  {
    id: "SE-008b",
    title: "asks for a file with the form of a key",
    run: async (stage) => {
      const key = `sk-ant-api03-${"Zx9".repeat(31)}AA`;
      writeFileSync(join(stage.tree.root, "notes.txt"), `${key}\n`);
      const { log, terminal, requests } = await stage.run({
        script: [toolUse("read_file", { path: "notes.txt" }), text("done")],
      });
      const sent = requests.map(({ raw }) => raw.toString()).join("\n");
      stage.holds(!`${log}${terminal}${sent}`.includes(key), "the key stands in log, terminal or a request");
    },
  },
  {
    id: "SE-009",
    title: "asks for .env",
    run: async (stage) => {
      writeFileSync(join(stage.tree.root, ".env"), `API_KEY=${stage.canary}\n`);
      await stage.run({
        script: [
          turn([
            { type: "tool_use", name: "read_file", input: { path: ".env" } },
            { type: "tool_use", name: "grep", input: { pattern: "API", hidden: true } },
            { type: "tool_use", name: "grep", input: { pattern: "API", path: ".env" } },
          ]),
          text("done"),
        ],
      });
    },
  },
  {
    id: "SE-010",
    title: "tells a canary of the user's to the model",
    run: async (stage) => {
      const canary = "canary-0123456789abcdef";
      writeFileSync(join(stage.tree.root, "notes.txt"), `${canary}\n`);
      const { result, requests } = await stage.run({
        script: [toolUse("read_file", { path: "notes.txt" }), text("done")],
        options: { canaries: [canary] },
      });
      stage.holds(result.errors[0]?.code === "canary_seen", `the run ended with ${result.subtype}`);
      stage.holds(!requests.some(({ raw }) => raw.includes(canary)), "the canary was sent");
    },
  },
];

export const SECRETS_CASES: readonly ProbeCase[] = family(
  "secrets",
  { claim: "confidentiality", layers: ["seal"] },
  [...PROCESS, ...RUN.map((row): CaseRow => ({ ...row, layers: [], heldBy: "redaction" }))],
);

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { hostile, mustFail } from "../hostile-row.ts";
import { GIT_ROWS, markOf } from "./git.ts";

/** Code that starts a program; a mark that it leaves, or its being there afterwards, is an escape. */
function start(id: string, title: string, attempt: string, more: Partial<CaseRow> = {}): CaseRow {
  return hostile(id, title, mustFail(attempt), {
    layers: ["seal", "host-permission"],
    args: (stage) => ({ mark: markOf(stage) }),
    call: { timeoutMs: 1_500 },
    then: async (stage) => {
      await sleep(20);
      stage.holds(!existsSync(join(stage.tree.base, "mark")), "the program ran");
      stage.holds(await gone("30031"), "the program is still there");
    },
    ...more,
  });
}

/** Whether no process has this word in its command line; what the call left may need a moment to be swept away. */
async function gone(word: string): Promise<boolean> {
  for (let tries = 0; tries < 40; tries++) {
    if (!commandLines().some((line) => line.split("\0").includes(word))) return true;
    await sleep(25);
  }
  return false;
}

function commandLines(): string[] {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return processes.map((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8");
    } catch {
      return "";
    }
  });
}

const PROGRAMS: CaseRow[] = [
  start("CH-003", "runs a command by a shell", "require('child_process').execSync('touch ' + args.mark);"),
  start(
    "CH-003b",
    "runs a program",
    "const { error } = require('child_process').spawnSync('touch', [args.mark]); if (error) throw error;",
  ),
  start(
    "CH-003c",
    "runs a program without waiting",
    "const c = require('child_process').spawn('touch', [args.mark]); await new Promise((go, no) => c.on('error', no).on('exit', go));",
  ),
  start(
    "CH-003d",
    "forks Node",
    "require('fs').writeFileSync; const c = require('child_process').fork('-e', ['x'], { execArgv: [] }); await new Promise((go, no) => c.on('error', no).on('exit', (code) => code === 0 ? go() : no(new Error('exit ' + code))));",
  ),
  start(
    "CH-003e",
    "runs Node from the process's own file",
    "const { error } = require('child_process').spawnSync('/proc/self/exe', ['-e', '0']); if (error) throw error;",
  ),
  start(
    "CH-003f",
    "uses Node's inner process wrap",
    "const { Process } = process.binding('process_wrap'); const p = new Process(); const code = p.spawn({ file: '/bin/touch', args: ['touch', args.mark], stdio: [] }); if (code !== 0) throw new Error(String(code));",
  ),
  start(
    "CH-003g",
    "uses spawnSync's inner binding",
    "const r = process.binding('spawn_sync').spawn({ file: '/bin/touch', args: ['touch', args.mark], envPairs: [], stdio: [] }); if (r.error) throw new Error(String(r.error));",
  ),
  start(
    "CH-008",
    "leaves a process of its own session",
    "const c = require('child_process').spawn('sleep', ['30031'], { detached: true, stdio: 'ignore' }); await new Promise((go, no) => c.on('error', no).on('spawn', go)); c.unref();",
  ),
  start(
    "CH-009",
    "starts a program in a cluster",
    "const cluster = require('cluster'); cluster.setupPrimary({ exec: '/bin/true', execArgv: [] }); const w = cluster.fork(); await new Promise((go, no) => { w.on('error', no); w.on('exit', (code) => code ? no(new Error('exit ' + code)) : go()); });",
  ),
  start("CH-012", "sends its parent a signal", "process.kill(process.ppid, 'SIGURG');", {
    claim: "availability",
  }),
  start("CH-012b", "sends every process a signal", "process.kill(-1, 0);", { claim: "availability" }),
  start("CH-013", "debugs its parent", "process._debugProcess(process.ppid);", {
    claim: "availability",
    notHere: ({ options }) => (options.seal === "off" ? "it would stop what runs the probe" : undefined),
  }),
  start(
    "CH-016",
    "sets its parent's priority",
    "const os = require('os'); os.setPriority(process.ppid, os.getPriority(process.ppid));",
    {
      claim: "availability",
    },
  ),
];

export const CHILD_PROCESS_CASES: readonly ProbeCase[] = family(
  "child-process",
  { claim: "integrity", layers: [] },
  [...PROGRAMS, ...GIT_ROWS],
);

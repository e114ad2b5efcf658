import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { hostile, mustFail } from "../hostile-row.ts";
import type { Stage } from "../stage.ts";

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

/** What a program that ran leaves. */
function markOf(stage: Stage): string {
  const mark = join(stage.tree.base, "mark");
  stage.after(() => rmSync(mark, { force: true }));
  return mark;
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

/** Everything that git can be told to run leaves a mark. */
const GIT_SETTINGS: readonly [id: string, what: string, settings: (trap: string) => string][] = [
  ["CH-004", "a file system monitor", (trap) => `[core]\n\tfsmonitor = ${trap}\n`],
  [
    "CH-004b",
    "a pager",
    (trap) => `[core]\n\tpager = ${trap}\n[pager]\n\tlog = ${trap}\n\tstatus = ${trap}\n`,
  ],
  [
    "CH-004c",
    "an external diff",
    (trap) => `[diff]\n\texternal = ${trap}\n[diff "evil"]\n\tcommand = ${trap}\n\ttextconv = ${trap}\n`,
  ],
  [
    "CH-005",
    "a filter",
    (trap) => `[filter "evil"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\trequired = true\n`,
  ],
  ["CH-005b", "hooks", (trap) => `[core]\n\thooksPath = ${trap}\n`],
  ["CH-005c", "an alias", (trap) => `[alias]\n\tstatus = !${trap}\n\tlog = !${trap}\n`],
  [
    "CH-005d",
    "a program for signatures",
    (trap) => `[log]\n\tshowSignature = true\n[gpg]\n\tprogram = ${trap}\n`,
  ],
];

const GIT: CaseRow[] = GIT_SETTINGS.map(([id, what, settings]) => ({
  id,
  title: `sets ${what} in the repository that git then looks at`,
  layers: [],
  heldBy: "every setting that runs something is overridden on git's command line",
  notHere: () => (hasGit() ? undefined : "git is not installed"),
  run: async (stage) => {
    const { mark, trap } = repository(stage);
    writeFileSync(join(stage.tree.root, ".git/config"), `[core]\n\tbare = false\n${settings(trap)}`);
    for (const input of [{ command: "status" }, { command: "diff" }, { command: "log" }])
      stage.expects(await stage.call("git", input), ["ok"]);
    stage.holds(!existsSync(mark), "git ran what the repository told it to");
  },
}));

function hasGit(): boolean {
  try {
    execFileSync("git", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

function repository(stage: Stage): { mark: string; trap: string } {
  const { root, base } = stage.tree;
  const [mark, trap] = [join(root, "mark"), join(root, "trap.sh")];
  const git = (...args: string[]): void =>
    void execFileSync("git", ["-C", root, "-c", "user.name=p", "-c", "user.email=p@p", ...args], {
      stdio: "ignore",
      env: { PATH: "/usr/local/bin:/usr/bin:/bin", HOME: base, GIT_CONFIG_NOSYSTEM: "1" },
    });
  writeFileSync(join(root, ".gitattributes"), "*.txt filter=evil diff=evil\n");
  git("init", "-q");
  git("add", "ok.txt");
  git("commit", "-qm", "one");
  writeFileSync(join(root, "ok.txt"), "changed\n");
  writeFileSync(trap, `#!/bin/sh\necho ran >> ${mark}\nexec timeout 1 cat\n`);
  chmodSync(trap, 0o755);
  return { mark, trap };
}

const ARGUMENTS: CaseRow[] = [
  ...(["x; touch MARK", "$(touch MARK)", "`touch MARK`", "--pre=touch MARK", "| touch MARK"] as const).map(
    (text, index): CaseRow => ({
      id: `CH-001${"abcde"[index]}`,
      title: `hides a command in a search: ${text}`,
      layers: [],
      heldBy: "no shell, and no program, searches",
      run: async (stage) => {
        const mark = markOf(stage);
        const pattern = text.replace("MARK", mark);
        stage.expects(await stage.call("grep", { pattern, path: "." }), ["ok", "invalid_input"]);
        stage.expects(await stage.call("glob", { pattern }), ["ok", "invalid_input", "permission_error"]);
        stage.expects(await stage.call("grep", { pattern: "x", path: pattern }), [
          "not_found",
          "invalid_input",
          "permission_error",
        ]);
        stage.holds(!existsSync(mark), "a command was run");
      },
    }),
  ),
  ...(
    [
      "--upload-pack=touch MARK",
      "-oProxyCommand=x",
      "--output=MARK",
      "HEAD --output=MARK",
      "HEAD;touch MARK",
    ] as const
  ).map(
    (text, index): CaseRow => ({
      id: `CH-006${"abcde"[index]}`,
      title: `hides an option of git in a revision: ${text}`,
      layers: [],
      heldBy: "the input's schema, and -- before what is no option",
      run: async (stage) => {
        const mark = markOf(stage);
        const rev = text.replace("MARK", mark);
        stage.expects(await stage.call("git", { command: "log", rev }), ["invalid_input"]);
        stage.holds(!existsSync(mark), "git took it for an option");
      },
    }),
  ),
  {
    id: "CH-007",
    title: "puts programs named git, node and rg into the workspace",
    layers: [],
    heldBy: "programs are looked up outside of the workspace",
    notHere: () => (hasGit() ? undefined : "git is not installed"),
    run: async (stage) => {
      const { mark, trap } = repository(stage);
      for (const name of ["git", "node", "rg", "grep"]) symlinkSync(trap, join(stage.tree.root, name));
      stage.expects(await stage.call("git", { command: "status" }), ["ok"]);
      stage.expects(await stage.call("grep", { pattern: "ok" }), ["ok"]);
      stage.holds(!existsSync(mark), "a program from the workspace was run");
    },
  },
];

export const CHILD_PROCESS_CASES: readonly ProbeCase[] = family(
  "child-process",
  { claim: "integrity", layers: [] },
  [...PROGRAMS, ...GIT, ...ARGUMENTS],
);

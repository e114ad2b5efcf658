import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseRow } from "../case.ts";
import type { Stage } from "../stage.ts";

/** What a program that ran leaves. */
export function markOf(stage: Stage): string {
  const mark = join(stage.tree.base, "mark");
  stage.after(() => rmSync(mark, { force: true }));
  return mark;
}

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

/** Attacks on the programs that RuiZN itself starts, and on those that it does not. */
export const GIT_ROWS: readonly CaseRow[] = [...GIT, ...ARGUMENTS];

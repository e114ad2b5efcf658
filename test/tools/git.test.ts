import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { gitBody } from "../../src/tools/git/body.ts";
import { gitArguments } from "../../src/tools/git/git-arguments.ts";
import { filterNames } from "../../src/tools/git/git-environment.ts";
import { type GitInput, GitTool } from "../../src/tools/git/spec.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { asOutcome, PoolCalls } from "../support/pool-calls.ts";
import { eventually, processesWith } from "../support/processes.ts";
import { makeToolFolder, type Outcome, type ToolFolder } from "../support/tool-workspace.ts";

const TOOL = new GitTool() as unknown as BaseTool;

const folders: ToolFolder[] = [];
const calls = new PoolCalls();
afterEach(async () => {
  await calls.close();
  for (const folder of folders.splice(0)) folder.remove();
});

const ENVIRONMENT = {
  PATH: process.env["PATH"],
  HOME: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.org",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.org",
  GIT_AUTHOR_DATE: "2026-01-02T03:04:05Z",
  GIT_COMMITTER_DATE: "2026-01-02T03:04:05Z",
};

function plain(folder: ToolFolder, ...args: string[]): string {
  return execFileSync("git", args, {
    cwd: folder.root,
    env: ENVIRONMENT,
    encoding: "utf8",
    stdio: "pipe",
    timeout: 10_000,
  });
}

/** Two commits, one changed file, one untracked. */
function repository(): ToolFolder {
  const folder = makeToolFolder({ "a.txt": "one\ntwo\n", "src/b.txt": "b\n", ".env": "SECRET=1\n" });
  folders.push(folder);
  plain(folder, "init", "-q", "-b", "main");
  plain(folder, "add", "-A");
  plain(folder, "commit", "-q", "-m", "First");
  folder.write({ "a.txt": "one\n2\n", ".env": "SECRET=2\n" });
  plain(folder, "commit", "-q", "-a", "-m", "Second: überarbeitet");
  folder.write({ "src/b.txt": "b\nc\n", "new.txt": "", ".env": "SECRET=3\n" });
  return folder;
}

let sealed = false;
const git = async (folder: ToolFolder, input: GitInput): Promise<Outcome> =>
  sealed ? asOutcome(await calls.invoke(folder.root, TOOL, input)) : folder.run(gitBody, input);

async function text(folder: ToolFolder, input: GitInput): Promise<string> {
  const outcome = await git(folder, input);
  if (!outcome.ok) throw new Error(outcome.message);
  return outcome.texts[0] ?? "";
}

describe.each(SEALABLE ? ["by itself", "in a sealed worker"] : ["by itself"])("%s", (way) => {
  beforeAll(() => {
    sealed = way === "in a sealed worker";
  });

  describe("git shows", () => {
    it("the status", async () => {
      expect(await git(repository(), { command: "status" })).toMatchObject({
        texts: ["## main\n M .env\n M src/b.txt\n?? new.txt\n"],
        data: { command: "status", truncated: false, bytes_total: 40, bytes_shown: 40 },
      });
    });

    it("a diff, of one path, staged, between commits, as numbers", async () => {
      const folder = repository();
      expect(await text(folder, { command: "diff" })).toMatch(/^diff --git a\/src\/b\.txt[^]*\n b\n\+c\n$/);
      expect(await text(folder, { command: "diff", path: "a.txt" })).toBe("(no output)");
      expect(await text(folder, { command: "diff", staged: true })).toBe("(no output)");
      plain(folder, "add", "src");
      expect(await text(folder, { command: "diff", staged: true })).toContain("+c");
      expect(await text(folder, { command: "diff", rev: "HEAD~1..HEAD", context_lines: 0 })).toMatch(
        /@@ -2 \+2 @@ one\n-two\n\+2\n$/,
      );
      expect(await text(folder, { command: "diff", rev: "HEAD~1", stat: true })).toContain("2 files changed");
    });

    it("the log", async () => {
      const folder = repository();
      const log = await text(folder, { command: "log", max_count: 1 });
      expect(log).toMatch(
        /^commit [0-9a-f]{40}( \(.*\))?\nAuthor: Ann <ann@example.org>\nDate: .*\n\n {4}Second: überarbeitet\n$/,
      );
      expect(await text(folder, { command: "log", path: "src" })).toMatch(/First\n$/);
    });

    it("a commit, and a file as it was", async () => {
      const folder = repository();
      expect(await text(folder, { command: "show" })).toMatch(/Second[^]*-two\n\+2\n$/);
      expect(await text(folder, { command: "show", rev: "HEAD~1", path: "a.txt", content: true })).toBe(
        "one\ntwo\n",
      );
    });

    it("who wrote a line", async () => {
      expect(
        await text(repository(), { command: "blame", path: "a.txt", line_start: 2, line_end: 2 }),
      ).toMatch(/^[0-9a-f]{8} \(Ann 2026-01-02 2\) 2\n$/);
    });

    it("nothing of files that the guard keeps from tools", async () => {
      const folder = repository();
      for (const input of [
        { command: "diff" },
        { command: "diff", rev: "HEAD~1" },
        { command: "show" },
        { command: "show", rev: "HEAD~1" },
      ] as GitInput[]) {
        expect(await text(folder, input)).not.toContain("SECRET");
      }
      const content = { command: "show", content: true, path: ".env" } as const;
      expect(await git(folder, content)).toMatchObject({ errorType: "permission_error" });
      expect(await git(folder, { command: "blame", path: ".env" })).toMatchObject({
        errorType: "permission_error",
      });
    });

    it("a part of what is too long, and says so", async () => {
      const folder = repository();
      folder.write({ "src/b.txt": "ü\n".repeat(60_000) });
      const outcome = await git(folder, { command: "diff" });
      expect(outcome).toMatchObject({ ok: true, data: { truncated: true, bytes_total: null } });
      expect(outcome.ok && outcome.texts[0]).toMatch(/ü?\n?\[truncated\]$/);
      expect(Number(outcome.data["bytes_shown"])).toBeLessThanOrEqual(51_200);
    });
  });

  describe("git refuses", () => {
    it.each<[GitInput, string]>([
      [{ command: "status", rev: "HEAD" }, "rev is no option of git status"],
      [{ command: "log", staged: true }, "staged is no option of git log"],
      [{ command: "blame" }, "git blame needs a path"],
      [{ command: "show", content: true }, "git show with content needs a path"],
      [
        { command: "show", content: true, path: "a", stat: true },
        "content shows a file: stat and context_lines are for what a commit changed",
      ],
    ])("%j", (input, message) => {
      expect(() => gitArguments(input, input.path)).toThrow(message);
    });

    it("an unknown revision, in git's words", async () => {
      expect(await git(repository(), { command: "show", rev: "nowhere" })).toMatchObject({
        errorType: "invalid_input",
        message: expect.stringMatching(/^git show: fatal: .*nowhere/),
        data: { exit_code: 128 },
      });
    });

    it("a path outside", async () => {
      const folder = repository();
      for (const path of ["../x", "/etc/passwd"]) {
        expect(await git(folder, { command: "blame", path })).toMatchObject({
          errorType: "permission_error",
        });
      }
    });

    it("a workspace without a repository, also when one lies above", async () => {
      const folder = repository();
      const inner = makeToolFolder();
      folders.push(inner);
      expect(await git(inner, { command: "status" })).toMatchObject({ errorType: "not_found" });
      mkdirSync(join(folder.root, "below"));
      const below: ToolFolder = { ...inner, root: join(folder.root, "below") };
      expect(existsSync(join(below.root, ".git"))).toBe(false);
    });

    it.each<[what: string, change: (folder: ToolFolder, other: ToolFolder) => void]>([
      [
        "a .git file that leads away",
        (folder, other) => {
          rmSync(join(folder.root, ".git"), { recursive: true });
          writeFileSync(join(folder.root, ".git"), `gitdir: ${other.root}/.git\n`);
        },
      ],
      [
        "a .git that is a link",
        (folder, other) => {
          rmSync(join(folder.root, ".git"), { recursive: true });
          symlinkSync(join(other.root, ".git"), join(folder.root, ".git"));
        },
      ],
      [
        "objects that are a link",
        (folder, other) => {
          rmSync(join(folder.root, ".git/objects"), { recursive: true });
          symlinkSync(join(other.root, ".git/objects"), join(folder.root, ".git/objects"));
        },
      ],
      [
        "alternates",
        (folder, other) => {
          writeFileSync(join(folder.root, ".git/objects/info/alternates"), `${other.root}/.git/objects\n`);
        },
      ],
      [
        "a commondir",
        (folder, other) => {
          writeFileSync(join(folder.root, ".git/commondir"), `${other.root}/.git\n`);
        },
      ],
    ])("%s", async (_what, change) => {
      const folder = repository();
      change(folder, repository());
      expect(await git(folder, { command: "log" })).toMatchObject({
        ok: false,
        errorType: "permission_error",
      });
    });
  });

  describe("a hostile repository runs nothing", () => {
    const ALL: GitInput[] = [
      { command: "status" },
      { command: "diff" },
      { command: "diff", staged: true },
      { command: "diff", rev: "HEAD~1", stat: true },
      { command: "log", stat: true },
      { command: "show" },
      { command: "show", rev: "merge" },
      { command: "show", rev: "signed" },
      { command: "show", path: "a.txt", content: true },
      { command: "blame", path: "a.txt" },
    ];

    /** A repository in which everything that git can be configured to run leaves a mark. */
    function hostile(): { folder: ToolFolder; marked: () => boolean; trap: string } {
      const folder = repository();
      const other = makeToolFolder();
      folders.push(other);
      const mark = join(other.root, "ran");
      const trap = join(folder.root, "trap.sh");
      writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${mark}\nexec timeout 1 cat\n`);
      chmodSync(trap, 0o755);
      return { folder, marked: () => existsSync(mark), trap };
    }

    function prepare(folder: ToolFolder): void {
      plain(folder, "checkout", "-q", "-f", "-b", "side", "HEAD~1");
      folder.write({ "a.txt": "one\nother\n" });
      plain(folder, "commit", "-q", "-a", "-m", "Side");
      plain(folder, "checkout", "-q", "main");
      plain(folder, "merge", "-q", "-s", "ours", "-m", "Merge", "side");
      plain(folder, "tag", "merge");
      plain(folder, "tag", "signed");
      folder.write({
        "a.txt": "one\n3\n",
        "src/b.txt": "b\nd\n",
        ".gitattributes": "* filter=evil diff=evil merge=evil textconv=evil\n*.txt ident\n",
      });
    }

    function settings(trap: string): string {
      return [
        `[core]\n\tfsmonitor = ${trap}\n\thooksPath = ${trap}\n\tpager = ${trap}\n\teditor = ${trap}\n\tsshCommand = ${trap}\n\taskPass = ${trap}\n\tgitProxy = ${trap}\n\talternateRefsCommand = ${trap}`,
        `[pager]\n\tlog = ${trap}\n\tdiff = ${trap}\n\tshow = ${trap}\n\tstatus = ${trap}\n\tblame = ${trap}`,
        `[diff]\n\texternal = ${trap}\n\tsubmodule = log`,
        `[diff "evil"]\n\tcommand = ${trap}\n\ttextconv = ${trap}\n\tcachetextconv = true`,
        `[filter "evil"]\n\tclean = ${trap}\n\tsmudge = ${trap}\n\tprocess = ${trap}\n\trequired = true`,
        `[merge "evil"]\n\tdriver = ${trap} %O %A %B`,
        `[log]\n\tshowSignature = true\n\tdiffMerges = remerge`,
        `[gpg]\n\tprogram = ${trap}`,
        `[gpg "ssh"]\n\tprogram = ${trap}`,
        `[alias]\n\tstatus = !${trap}\n\tlog = !${trap}\n\tcat-file = !${trap}\n\tconfig = !${trap}`,
        `[format]\n\tpretty = %G? %h`,
        `[credential]\n\thelper = !${trap}`,
        `[interactive]\n\tdiffFilter = ${trap}`,
        `[submodule]\n\trecurse = true`,
        `[blame]\n\tignoreRevsFile = ${trap}`,
        "",
      ].join("\n");
    }

    it("whatever is set in .git/config and .gitattributes; the same set makes plain git run it", async () => {
      const { folder, marked, trap } = hostile();
      prepare(folder);
      appendFileSync(join(folder.root, ".git/config"), settings(trap));
      for (const input of ALL)
        expect(await git(folder, input), JSON.stringify(input)).toMatchObject({ ok: true });
      expect(marked()).toBe(false);
      // The positive control: the trap does spring.
      expect(() => plain(folder, "status")).toThrow("evil");
      expect(marked()).toBe(true);
    });

    it.each<[what: string, lines: (trap: string) => string, run: string[]]>([
      ["a filter's clean", (trap) => `[filter "evil"]\n\tclean = ${trap}\n`, ["diff"]],
      ["a filter's process", (trap) => `[filter "evil"]\n\tprocess = ${trap}\n`, ["diff"]],
      [
        "a filter with an equals sign and a dot in its name",
        (trap) => `[filter "e=v.il"]\n\tclean = ${trap}\n`,
        ["diff"],
      ],
      ["a diff driver", (trap) => `[diff "evil"]\n\tcommand = ${trap}\n`, ["diff"]],
      ["a textconv", (trap) => `[diff "evil"]\n\ttextconv = ${trap}\n`, ["diff"]],
      ["an external diff", (trap) => `[diff]\n\texternal = ${trap}\n`, ["diff"]],
      ["a file system monitor", (trap) => `[core]\n\tfsmonitor = ${trap}\n`, ["status"]],
    ])("%s", async (_what, lines, run) => {
      const { folder, marked, trap } = hostile();
      prepare(folder);
      writeFileSync(
        join(folder.root, ".gitattributes"),
        "*.txt filter=evil diff=evil\nsrc/* filter=e=v.il\n",
      );
      appendFileSync(join(folder.root, ".git/config"), lines(trap));
      // A worker for each call takes its time: there, the command that would spring the trap is enough.
      const inputs = sealed ? ALL.filter(({ command }) => run.includes(command)) : ALL;
      for (const input of inputs) await git(folder, input);
      expect(marked()).toBe(false);
      try {
        plain(folder, ...run);
      } catch {
        // A filter that is no protocol speaker fails git; that it ran is what counts.
      }
      expect(marked()).toBe(true);
    });

    it("through an included file", async () => {
      const { folder, marked, trap } = hostile();
      prepare(folder);
      folder.write({ "included.config": settings(trap) });
      appendFileSync(
        join(folder.root, ".git/config"),
        `[include]\n\tpath = ${join(folder.root, "included.config")}\n`,
      );
      for (const input of ALL) expect(await git(folder, input)).toMatchObject({ ok: true });
      expect(marked()).toBe(false);
    });

    it("through hooks", async () => {
      const { folder, marked, trap } = hostile();
      for (const hook of [
        "post-index-change",
        "reference-transaction",
        "post-checkout",
        "fsmonitor-watchman",
      ]) {
        symlinkSync(trap, join(folder.root, ".git/hooks", hook));
      }
      for (const input of ALL.slice(0, 6)) expect(await git(folder, input)).toMatchObject({ ok: true });
      expect(marked()).toBe(false);
    });

    it("through a promised object that is missing", async () => {
      const { folder, marked, trap } = hostile();
      const blob = plain(folder, "rev-parse", "HEAD:a.txt").trim();
      rmSync(join(folder.root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
      appendFileSync(
        join(folder.root, ".git/config"),
        `[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = ext::${trap}\n\tuploadpack = ${trap}\n\tpromisor = true\n[protocol]\n\tallow = always\n[protocol "ext"]\n\tallow = always\n`,
      );
      plain(folder, "config", "core.repositoryformatversion", "1");
      expect(await git(folder, { command: "show", path: "a.txt", content: true })).toMatchObject({
        ok: false,
      });
      expect(await git(folder, { command: "show" })).toMatchObject({ ok: false });
      expect(marked()).toBe(false);
      expect(() => plain(folder, "cat-file", "-p", blob)).toThrow();
      expect(marked()).toBe(true);
    });

    it("and core.worktree shows nothing from elsewhere", async () => {
      const folder = repository();
      const other = makeToolFolder({ "a.txt": "CANARY\n", "src/b.txt": "CANARY\n" });
      folders.push(other);
      appendFileSync(join(folder.root, ".git/config"), `[core]\n\tworktree = ${other.root}\n`);
      expect(await text(folder, { command: "diff" })).not.toContain("CANARY");
      expect(plain(folder, "diff")).toContain("CANARY");
    });

    it.runIf(process.getuid?.() === 0)(
      "also when the repository belongs to somebody else, as in a container",
      async () => {
        const folder = repository();
        chownSync(join(folder.root, ".git"), 12_345, 12_345);
        chownSync(folder.root, 12_345, 12_345);
        expect(await text(folder, { command: "status" })).toContain("## main");
      },
    );
  });
});

it("finds the names of filters among settings", () => {
  expect(
    filterNames("core.bare\0filter.a.clean\0filter.a.smudge\0filter.b.c=d.process\0filter.x\ny.clean\0"),
  ).toEqual(["a", "b.c=d", "x\ny"]);
});

describe.runIf(SEALABLE)("a git that hangs", () => {
  /** git waits for somebody to write its settings. */
  function hanging(): { folder: ToolFolder; processes: () => number[] } {
    const folder = repository();
    rmSync(join(folder.root, ".git/config"));
    execFileSync("mkfifo", [join(folder.root, ".git/config")]);
    return { folder, processes: () => processesWith(`--git-dir=${folder.root}/.git`) };
  }

  it("is gone at the deadline, and the next call works", async () => {
    const { folder, processes } = hanging();
    await calls.pool(folder.root).check();
    const call = calls.invoke(folder.root, TOOL, { command: "log" }, { timeoutMs: 1_000 });
    expect(await eventually(processes, (seen) => seen.length > 0)).toHaveLength(1);
    expect(await call).toMatchObject({ isError: true, errorType: "timeout", seal: "held" });
    expect(await eventually(processes, (seen) => seen.length === 0)).toEqual([]);
    rmSync(join(folder.root, ".git/config"));
    plain(folder, "init", "-q");
    expect(await calls.invoke(folder.root, TOOL, { command: "log" })).toMatchObject({ errorType: null });
  });

  it("is gone when the run is cancelled, and when it ignores everything but being killed", async () => {
    const { folder, processes } = hanging();
    const run = new AbortController();
    const call = calls.invoke(folder.root, TOOL, { command: "log" }, { signal: run.signal });
    const [pid] = await eventually(processes, (seen) => seen.length > 0);
    process.kill(pid ?? Number.NaN, "SIGSTOP");
    run.abort();
    expect(await call).toMatchObject({ isError: true, errorType: "cancelled" });
    expect(await eventually(processes, (seen) => seen.length === 0)).toEqual([]);
  });
});

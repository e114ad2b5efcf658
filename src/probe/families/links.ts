import { existsSync, linkSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type CaseRow, family, type ProbeCase } from "../case.ts";
import { change, creation, NEVER, one, OUT, PATH_LAYERS } from "../one-call.ts";
import { arrangeTraps } from "../path-attacks.ts";
import type { Stage } from "../stage.ts";

const linkOut = (stage: Stage): void => symlinkSync(stage.tree.outside, join(stage.tree.root, "d"));

const SYMLINK: CaseRow[] = [
  {
    id: "SL-008",
    title: "sends a search round in a circle of links",
    claim: "availability",
    run: async (stage) => {
      mkdirSync(join(stage.tree.root, "d"));
      symlinkSync("..", join(stage.tree.root, "d", "up"));
      const result = await stage.call("grep", { pattern: "ok" }, { timeoutMs: 3_000 });
      stage.expects(result, ["ok"]);
      const [block] = result.content;
      const hits = block?.type === "text" ? block.text.split("ok.txt").length - 1 : 0;
      stage.holds(hits === 1, `the file was visited ${hits} times`);
    },
  },
  one("SL-014", "leads a search out by links", {
    tool: "grep",
    input: () => ({ pattern: "[0-9a-f]{32}" }),
    outcomes: ["ok"],
    arrange: (stage) => {
      linkOut(stage);
      symlinkSync(join(stage.tree.outside, "secret.txt"), join(stage.tree.root, "l"));
    },
  }),
  {
    id: "SL-015",
    title: "asks a listing for the size of what a link points to",
    run: async (stage) => {
      symlinkSync(join(stage.tree.outside, "secret.txt"), join(stage.tree.root, "l"));
      const result = await stage.call("list_dir", { path: "." });
      const [block] = result.content;
      const line = block?.type === "text" ? block.text.split("\n").find((one) => /\bl\b/.test(one)) : "";
      stage.holds(!/\b32\b/.test(line ?? ""), `the listing tells the target's size: ${line}`);
    },
  },
  one("SL-016", "leads a glob out by a link", {
    tool: "glob",
    input: () => ({ pattern: "d/**/*.txt" }),
    outcomes: [...NEVER, "ok"],
    arrange: linkOut,
  }),
  one("SL-019", "edits a file outside through a link", {
    tool: "edit_file",
    input: ({ canary }) => ({ path: "d/secret.txt", edits: [{ old_string: canary, new_string: "x" }] }),
    outcomes: OUT,
    arrange: linkOut,
  }),
  one("SL-023", "makes a file outside by a patch through a link", {
    tool: "apply_patch",
    input: () => ({ patch: creation("d/new.txt") }),
    outcomes: NEVER,
    arrange: linkOut,
  }),
  {
    id: "SL-021",
    title: "lets a tool of one's own plant a link that a file tool then follows",
    run: async (stage) => {
      const target = join(stage.tree.outside, "t.txt");
      await stage.attack("require('fs').symlinkSync(args, context.workspace.root + '/l')", {
        args: target,
        write: true,
      });
      const result = await stage.call("write_file", { path: "l", content: "x", overwrite: true });
      stage.holds(result.isError || !existsSync(target), "the link was followed");
    },
  },
];

const HARDLINK: CaseRow[] = [
  one("HL-003", "edits a file outside through a hard link", {
    tool: "edit_file",
    input: ({ canary }) => ({ path: "h", edits: [{ old_string: canary, new_string: "x" }] }),
    outcomes: OUT,
    arrange: ({ tree }) => linkSync(join(tree.outside, "secret.txt"), join(tree.root, "h")),
  }),
  one("HL-005", "patches a file outside through a hard link", {
    tool: "apply_patch",
    input: ({ canary }) => ({ patch: change("h", "h", canary) }),
    outcomes: NEVER,
    arrange: ({ tree }) => linkSync(join(tree.outside, "secret.txt"), join(tree.root, "h")),
  }),
];

const SPECIAL: CaseRow[] = [
  ...(["grep", "glob", "list_dir"] as const).map((tool, index) =>
    one(`SF-015${"abc"[index]}`, `sets every kind of trap before ${tool}`, {
      tool,
      input: () =>
        ({ grep: { pattern: "[0-9a-f]{32}" }, glob: { pattern: "**/*" }, list_dir: { path: ".", depth: 8 } })[
          tool
        ],
      outcomes: ["ok"],
      arrange: ({ tree }) => arrangeTraps(tree),
    }),
  ),
  one("SF-018", "edits a FIFO", {
    tool: "edit_file",
    input: () => ({ path: "p", edits: [{ old_string: "a", new_string: "b" }] }),
    outcomes: ["invalid_input", "permission_error"],
    arrange: ({ tree }) => tree.mkfifo(join(tree.root, "p")),
  }),
  one("SF-019", "searches a FIFO by its name", {
    tool: "grep",
    input: () => ({ pattern: "x", path: "p" }),
    outcomes: ["invalid_input", "permission_error"],
    arrange: ({ tree }) => tree.mkfifo(join(tree.root, "p")),
  }),
];

const common = { claim: "confidentiality", layers: PATH_LAYERS } as const;
export const LINK_CASES: readonly ProbeCase[] = [
  ...family("symlink", common, SYMLINK),
  ...family("hardlink", { ...common, claim: "integrity" }, HARDLINK),
  ...family("special-files", { ...common, claim: "availability" }, SPECIAL),
];

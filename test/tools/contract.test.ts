import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { ApplyPatchTool } from "../../src/tools/apply-patch/spec.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { EditFileTool } from "../../src/tools/edit-file/spec.ts";
import { GlobTool } from "../../src/tools/glob/spec.ts";
import { GitTool } from "../../src/tools/git/spec.ts";
import { GrepTool } from "../../src/tools/grep/spec.ts";
import { ListDirTool } from "../../src/tools/list-dir/spec.ts";
import { ReadFileTool } from "../../src/tools/read-file/spec.ts";
import { TodoTool } from "../../src/tools/todo/spec.ts";
import { WriteFileTool } from "../../src/tools/write-file/spec.ts";
import { makeAttackTree } from "../../src/probe/attack-tree.ts";
import { describeToolContracts, type ToolContract } from "../support/tool-contract.ts";

const tool = (given: unknown): BaseTool => given as BaseTool;
const creation = (path: string): string => `--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+attack\n`;

/** A workspace with the attack tree's files and their repository, which is copied. */
const TEMPLATE = makeAttackTree();
const git = (...args: string[]): unknown =>
  execFileSync("git", args, { cwd: TEMPLATE.root, env: { PATH: process.env["PATH"], HOME: "/dev/null" } });
git("init", "-q", "--template=");
git("add", "-A");
git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "First");
afterAll(() => TEMPLATE.remove());

const CONTRACTS: ToolContract[] = [
  {
    tool: tool(new ReadFileTool()),
    inputFor: (path) => ({ path }),
    works: { path: "ok.txt" },
    access: "read",
  },
  { tool: tool(new ListDirTool()), inputFor: (path) => ({ path }), works: {}, access: "list" },
  { tool: tool(new GlobTool()), inputFor: (path) => ({ pattern: "**", path }), works: { pattern: "*" } },
  {
    tool: tool(new GrepTool()),
    inputFor: (path) => ({ pattern: ".", path, hidden: true }),
    works: { pattern: "ok" },
  },
  {
    tool: tool(new WriteFileTool()),
    inputFor: (path) => ({ path, content: "attack", overwrite: true }),
    works: { path: "made/new.txt", content: "x", overwrite: true },
    access: "write",
  },
  {
    tool: tool(new EditFileTool()),
    inputFor: (path) => ({ path, edits: [{ old_string: "a", new_string: "b", replace_all: true }] }),
    works: { path: "ok.txt", edits: [{ old_string: "ok", new_string: "fine" }] },
  },
  {
    tool: tool(new ApplyPatchTool()),
    inputFor: (path) => ({ patch: creation(path) }),
    works: { patch: creation("p") },
  },
  {
    tool: tool(new GitTool()),
    inputFor: (path) => ({ command: "diff", path }),
    works: { command: "log" },
    arrange: ({ root }) => cpSync(join(TEMPLATE.root, ".git"), join(root, ".git"), { recursive: true }),
  },
  { tool: tool(new TodoTool()), works: { items: [] } },
];

describeToolContracts(CONTRACTS, { seal: "off", isolation: "thread" });
describeToolContracts(CONTRACTS, { seal: "require", isolation: "thread" });
describeToolContracts(CONTRACTS, { seal: "require", isolation: "process" });

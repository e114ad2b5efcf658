import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { OpenedDirectory, OpenedFile, Workspace } from "../../src/sandbox/guard/workspace.ts";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolFailure } from "../../src/tools/tool-body.ts";
import { makeAttackTree, type AttackTree } from "../../src/probe/attack-tree.ts";
import { testSyscalls } from "../support/openat2.ts";
import { arrangeTraps, type AttackOutcome, PATH_ATTACKS, pathOf } from "../../src/probe/path-attacks.ts";

const WAYS: Record<string, LayerSwitches> = {
  openat2: {},
  walk: { openBeneath: "walk" },
  portable: { openBeneath: "portable" },
};

let tree: AttackTree;
let workspace: Workspace;

beforeEach(() => {
  tree = makeAttackTree();
});

afterEach(() => {
  workspace.close();
  tree.remove();
});

function open(switches: LayerSwitches): Workspace {
  const syscalls = testSyscalls();
  return openWorkspace({ root: tree.root, switches, ...(syscalls ? { syscalls } : {}) });
}

function textOf(file: OpenedFile): string {
  const buffer = Buffer.alloc(4_096);
  return buffer.subarray(0, file.read(buffer, 0)).toString();
}

/** What came of it, and everything that was said. */
function attempt(act: () => string): { outcome: AttackOutcome; said: string } {
  try {
    return { outcome: "ok", said: act() };
  } catch (error) {
    if (error instanceof ToolFailure) return { outcome: error.errorType, said: error.message };
    throw error;
  }
}

describe.each(Object.entries(WAYS))("a hostile path, opened by %s", (_way, switches) => {
  it.each(PATH_ATTACKS)("$id $title", (attack) => {
    attack.arrange?.(tree);
    workspace = open(switches);
    const before = tree.fingerprint();
    const path = pathOf(attack, tree);
    const acts = {
      read: () => textOf(workspace.openFile(path)),
      list: () => JSON.stringify(workspace.openDirectory(path).entries()),
      write: () => workspace.replaceFile(path, Buffer.from("attack")).path,
    };
    for (const access of ["read", "list", "write"] as const) {
      const { outcome, said } = attempt(acts[access]);
      if (attack[access])
        expect({ access, said, outcome }).toEqual({
          access,
          said,
          outcome: expect.toBeOneOf([...attack[access]]),
        });
      if (!attack.showsCanary) expect(said).not.toContain(tree.canary);
      if (access === "read" && outcome === "ok" && attack.shows !== undefined)
        expect(said).toBe(attack.shows);
      expect(said.length).toBeLessThan(800);
    }
    expect(
      attempt(() => workspace.replaceFile(path, Buffer.from("x"), { createParents: true }).path).said,
    ).not.toContain(tree.canary);
    attempt(() => String(workspace.removeFile(path) ?? ""));
    expect(tree.fingerprint()).toBe(before);
  });

  it("is met by a walk, which follows and waits for nothing", () => {
    arrangeTraps(tree);
    workspace = open(switches);
    const met: Record<string, string> = {};
    walk(workspace.openDirectory("."), met);
    expect(met).toEqual({
      "ok.txt": "ok\n",
      "sub/in.txt": "in\n",
      "trap/.env": "permission_error",
      "trap/bytes\\xff\\xfe": "unreadable",
      "trap/dangling": "permission_error",
      "trap/deep/up": "permission_error",
      "trap/device-link": "permission_error",
      "trap/directory-link": "permission_error",
      "trap/escape\x1b[31m": "plain\n",
      "trap/fifo": "invalid_input",
      "trap/file-link": "permission_error",
      "trap/id_rsa": "permission_error",
      "trap/new\nline": "plain\n",
    });
  });

  function walk(directory: OpenedDirectory, met: Record<string, string>): void {
    for (const { name, kind } of directory.entries().entries) {
      const path = directory.path === "." ? name : `${directory.path}/${name}`;
      if (kind === "unreadable") met[path] = kind;
      else {
        const { outcome, said } = attempt(() => {
          const opened = workspace.openEntry(directory, name);
          if (opened.kind === "file") return textOf(opened);
          walk(opened, met);
          return "";
        });
        if (kind !== "directory") met[path] = outcome === "ok" ? said : outcome;
      }
    }
    directory.close();
  }
});

describe("the same paths against a guard that is switched off", () => {
  it("get at what is outside, so that the attacks are real", () => {
    const reached = PATH_ATTACKS.filter((attack) => {
      tree.remove();
      tree = makeAttackTree();
      attack.arrange?.(tree);
      workspace?.close();
      workspace = open({ workerGuard: "off" });
      return attempt(() => textOf(workspace.openFile(pathOf(attack, tree)))).said.includes(tree.canary);
    });
    expect(reached.map(({ id }) => id).join(" ")).toBe(
      "PT-001 PT-004 PT-012 PX-001 PX-002 PX-003 UE-001 SL-001 SL-001b SL-002 SL-003 SL-013 SL-017b SL-020 HL-001 HL-002",
    );
  });
});

import { statSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openWorkspace } from "../../src/sandbox/guard/open-workspace.ts";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { recheckReply, type RecheckResult } from "../../src/sandbox/recheck.ts";
import { makeAttackTree, type AttackTree } from "../../src/probe/attack-tree.ts";
import { PATH_ATTACKS, type PathAttack, pathOf } from "../../src/probe/path-attacks.ts";

const nonce = "0123456789abcdef0123456789abcdef";

let tree: AttackTree;

beforeEach(() => {
  tree = makeAttackTree();
});

afterEach(() => tree.remove());

/** What a worker would send after it has read the path, and what the main thread makes of that; undefined when it can't be read. */
function readAndRecheck(
  path: string,
  switches: LayerSwitches,
): { shown: string; result: RecheckResult } | undefined {
  const workspace = openWorkspace({ root: tree.root, switches });
  const buffer = Buffer.alloc(64);
  try {
    const file = workspace.openFile(path);
    const shown = buffer.toString("utf8", 0, file.read(buffer, 0));
    const head = {
      nonce,
      ok: true,
      content: [{ type: "text", text: shown }],
      data: {},
      evidence: workspace.evidence(),
    };
    const expectation = {
      nonce,
      root: tree.root,
      rootDev: statSync(tree.root).dev,
      profile: "read",
      paths: [{ path, access: "read" }],
    } as const;
    return { shown, result: recheckReply({ head: JSON.stringify(head) }, expectation) };
  } catch {
    return undefined;
  } finally {
    workspace.close();
  }
}

const READS: readonly PathAttack[] = PATH_ATTACKS.filter(
  (attack) => attack.read !== undefined && !attack.showsCanary,
);

describe("a read that no guard stopped", () => {
  it.each(READS)("$id $title: the evidence gives it away before its text is shown", (attack) => {
    attack.arrange?.(tree);
    const checked = readAndRecheck(pathOf(attack, tree), { workerGuard: "off" });
    if (!checked?.shown.includes(tree.canary)) return;
    expect(checked.result).toMatchObject({
      ok: false,
      check: expect.stringMatching(/^evidence_(path|denied)$/),
    });
  });

  it("is let pass when it read what it may", () => {
    for (const switches of [{}, { workerGuard: "off" }] as const) {
      expect(readAndRecheck("sub/in.txt", switches)?.result).toMatchObject({
        ok: true,
        content: [{ type: "text", text: "in\n" }],
      });
    }
  });
});

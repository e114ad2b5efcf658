import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { type AttackTree, makeAttackTree } from "../../src/probe/attack-tree.ts";
import { aShare } from "../support/effort.ts";
import { GUARDED_TOOLS, SEALED_TOOLS } from "../support/race/raced-tools.ts";
import { runToolRace } from "../support/race/run-tool-race.ts";
import { SWAP_SHAPES, type SwapShape } from "../support/race/swap-shapes.ts";

const WAYS: readonly { by: string; seal: "off" | "require"; switches: LayerSwitches; way: number }[] = [
  { by: "guards alone, by openat2", seal: "off", switches: {}, way: 0 },
  { by: "guards alone, by the walk", seal: "off", switches: { openBeneath: "walk" }, way: 1 },
  { by: "the seal, which is all that holds git", seal: "require", switches: {}, way: 2 },
];
/** With `RUIZN_TEST_FULL=1` each way meets each shape, many times more often; else the two ways share the shapes. */
const FULL = process.env["RUIZN_TEST_FULL"] === "1";
const CALLS = FULL ? { warm: 100, fresh: 6 } : { warm: 15, fresh: 2 };
const shapesFor = (seal: "off" | "require", way: number): readonly SwapShape[] =>
  aShare(FULL || seal === "require" ? SWAP_SHAPES : SWAP_SHAPES.filter((_, at) => at % 2 === way), 3, way);

/** A repository in which the attacked file is known, with another content than it has. */
function makeRepository({ root }: AttackTree, path: string): void {
  const git = (...args: string[]): unknown =>
    execFileSync("git", args, { cwd: root, env: { PATH: process.env["PATH"], HOME: "/dev/null" } });
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), "committed\n");
  git("init", "-q", "--template=");
  git("add", "-A");
  git("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "-m", "First");
}

const table = new Map<string, { calls: number; honest: number }>();
afterAll(() => {
  console.log("calls of tools while a second process exchanges what their path names:");
  console.table(Object.fromEntries(table));
});

describe.runIf(process.platform === "linux").each(WAYS.filter(({ seal }) => seal === "off" || SEALABLE))(
  "a path swapped all the time, for tools in workers, held by $by",
  ({ by, seal, switches, way }) => {
    let tree: AttackTree;
    let pool: ToolPool;
    beforeAll(() => {
      tree = makeAttackTree();
      pool = new ToolPool({ root: tree.root, seal, switches, maxThreads: 1 });
    });
    afterAll(async () => {
      await pool.close();
      tree.remove();
    });

    it.each(shapesFor(seal, way))("$title: nothing leaks, nothing outside changes", async (shape) => {
      const race =
        seal === "off" ? { tools: GUARDED_TOOLS } : { tools: SEALED_TOOLS, prepare: makeRepository };
      const result = await runToolRace({ tree, pool, shape, calls: CALLS, ...race });
      const before = table.get(by) ?? { calls: 0, honest: 0 };
      table.set(by, { calls: before.calls + result.calls, honest: before.honest + result.honest });
      expect(result).toMatchObject({ leaks: [], damaged: false, surprises: [] });
    });

    it("and tools met what was meant too, or else the race would be none", () => {
      expect(table.get(by)?.honest).toBeGreaterThan(0);
    });
  },
);

it.runIf(process.platform === "linux")(
  "the same race, run by tools that nothing holds, shows what is outside",
  async () => {
    const tree = makeAttackTree();
    const switches: LayerSwitches = { mainGuard: "off", workerGuard: "off", recheck: "off" };
    const pool = new ToolPool({ root: tree.root, seal: "off", switches, maxThreads: 1 });
    try {
      const [shape] = SWAP_SHAPES;
      const tools = GUARDED_TOOLS.filter(({ tool }) => tool.name === "read_file");
      const calls = { warm: 100, fresh: 0 };
      const { leaks } = await runToolRace({ tree, pool, shape: shape as SwapShape, calls, tools });
      expect(leaks).not.toEqual([]);
    } finally {
      await pool.close();
      tree.remove();
    }
  },
);

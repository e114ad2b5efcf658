import { lstatSync, realpathSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { LayerSwitches } from "../../src/sandbox/protocol.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import { readTools, writeTools } from "../../src/tools/built-in.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { aShare } from "../support/effort.ts";
import { type AttackTree, makeAttackTree } from "../../src/probe/attack-tree.ts";
import { PATH_ATTACKS, type PathAttack, pathOf } from "../../src/probe/path-attacks.ts";
import { ALLOW_ALL } from "../support/pool-calls.ts";

interface Layer {
  name: "guards" | "guards by walk" | "guards by name" | "seal" | "re-check" | "none";
  seal: "require" | "off";
  switches: LayerSwitches;
  /** A write that was made is made: what comes after it can only find out. */
  findsOut?: true;
}

const NO_GUARDS = { mainGuard: "off", workerGuard: "off" } as const;
const LAYERS: readonly Layer[] = [
  { name: "guards", seal: "off", switches: { recheck: "off" } },
  { name: "guards by walk", seal: "off", switches: { recheck: "off", openBeneath: "walk" } },
  { name: "guards by name", seal: "off", switches: { recheck: "off", openBeneath: "portable" } },
  { name: "seal", seal: "require", switches: { ...NO_GUARDS, recheck: "off" } },
  { name: "re-check", seal: "off", switches: NO_GUARDS, findsOut: true },
  { name: "none", seal: "off", switches: { ...NO_GUARDS, recheck: "off" } },
];

const REGISTRY = new ToolRegistry([...readTools(), ...writeTools()]);
/** A path as long as the system takes makes folders that nobody can clear away again. */
const LONG = 1_000;
const USES = [
  { tool: "read_file", input: (path: string) => ({ path }) },
  { tool: "list_dir", input: (path: string) => ({ path }) },
  { tool: "write_file", input: (path: string) => ({ path, content: "attack", overwrite: true }) },
] as const;

/** `stopped`: nothing outside was seen by the caller or changed. */
type Verdict = "stopped" | "found out" | "escaped" | "left out";

class Range {
  tree: AttackTree = makeAttackTree();
  #pool: ToolPool | undefined;
  readonly #layer: Layer;

  constructor(layer: Layer) {
    this.#layer = layer;
  }

  async attack(attack: PathAttack, use: (typeof USES)[number]): Promise<Verdict> {
    this.tree.reset();
    attack.arrange?.(this.tree);
    const path = pathOf(attack, this.tree);
    if (!this.#fair(path, use)) return "left out";
    const before = this.tree.fingerprint();
    const result = await this.#call(use, path);
    const changed = this.tree.fingerprint() !== before;
    if (changed) await this.renew();
    if (changed && result.errorType === "result_rejected") return "found out";
    return changed || shows(result, this.tree.canary) ? "escaped" : "stopped";
  }

  /**
   * The seal has to let a reader read what lies in the workspace, denied names too: these are the guards' and the
   * re-check's. And without guards nothing is written that would not end in the tree of this test.
   */
  #fair(path: string, { tool }: (typeof USES)[number]): boolean {
    const { name, switches } = this.#layer;
    if (switches.workerGuard !== "off") return true;
    const end = whereItEnds(resolve(this.tree.root, path));
    if (tool === "write_file") return path.length < LONG && isBeneath(end, this.tree.base);
    return name !== "seal" || !isBeneath(end, this.tree.root);
  }

  async renew(): Promise<void> {
    await this.close();
    this.tree = makeAttackTree();
  }

  async close(): Promise<void> {
    await this.#pool?.close();
    this.#pool = undefined;
    this.tree.remove();
  }

  #call({ tool, input }: (typeof USES)[number], path: string): Promise<ToolResult> {
    const { seal, switches } = this.#layer;
    this.#pool ??= new ToolPool({ root: this.tree.root, seal, switches, maxThreads: 1 });
    return invokeTool(
      { id: "call", name: tool, input: input(path) },
      {
        registry: REGISTRY,
        pool: this.#pool,
        policy: ALLOW_ALL,
        signal: new AbortController().signal,
      },
    );
  }
}

/** What lies outside, by content or by name. */
function shows(result: ToolResult, canary: string): boolean {
  const text = result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  return (
    text.includes(canary) ||
    (result.toolName === "list_dir" && !result.isError && text.includes("secret.txt"))
  );
}

/** The real path of what a write to this name would make or change; undefined when that is not clear. */
function whereItEnds(path: string): string | undefined {
  if (path.includes("\0")) return undefined;
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return mayBeLink(path) || parent === path ? undefined : whereItEnds(parent);
  }
}

function mayBeLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== "ENOENT" && code !== "ENOTDIR";
  }
}

function isBeneath(path: string | undefined, folder: string): boolean {
  return path !== undefined && (path === folder || path.startsWith(`${folder}/`));
}

const table = new Map<string, Record<string, number>>();
afterAll(() => {
  console.log("attacks by tool and layer, each layer alone:");
  console.table(Object.fromEntries(table));
});

describe.each(LAYERS.filter(({ name }) => name !== "seal" || SEALABLE))("$name alone", (layer) => {
  it.each(USES)("against every hostile path, by $tool", { timeout: 180_000 }, async (use) => {
    const range = new Range(layer);
    const verdicts: Record<Verdict, string[]> = { stopped: [], "found out": [], escaped: [], "left out": [] };
    try {
      const share = layer.name === "none" ? PATH_ATTACKS : aShare(PATH_ATTACKS, 3, LAYERS.indexOf(layer));
      for (const attack of share) {
        if (attack.showsCanary) continue;
        verdicts[await range.attack(attack, use)].push(attack.id);
      }
    } finally {
      await range.close();
    }
    const counts = Object.fromEntries(Object.entries(verdicts).map(([name, ids]) => [name, ids.length]));
    table.set(`${use.tool}, ${layer.name}`, counts);
    if (layer.name === "none") {
      // Else the attacks would be none.
      expect(verdicts.escaped.length).toBeGreaterThanOrEqual(use.tool === "list_dir" ? 1 : 5);
    } else {
      expect(verdicts.escaped).toEqual([]);
      if (!layer.findsOut) expect(verdicts["found out"]).toEqual([]);
    }
  });
});

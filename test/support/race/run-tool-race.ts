import type { ToolPool } from "../../../src/sandbox/tool-pool.ts";
import { invokeTool } from "../../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../../src/tools/tool-result.ts";
import type { AttackTree } from "../../../src/probe/attack-tree.ts";
import { ALLOW_ALL } from "../pool-calls.ts";
import type { RacedTool } from "./raced-tools.ts";
import { arrangeSwap, type SwapShape } from "./swap-shapes.ts";
import { startSwapper, stopSwapper, whilePaused } from "./swapper.ts";

export interface ToolRace {
  readonly tree: AttackTree;
  /** Of the tree's root. */
  readonly pool: ToolPool;
  readonly shape: SwapShape;
  readonly tools: readonly RacedTool[];
  /** How often each tool is called. */
  readonly calls: Readonly<Record<RacedTool["worker"], number>>;
  /** What the tools need in the tree besides; called before the names are arranged. */
  readonly prepare?: (tree: AttackTree, path: string) => void;
}

export interface ToolRaceResult {
  readonly calls: number;
  /** Calls that met the honest file or folder. */
  readonly honest: number;
  /** Results with what is outside in them, as tool and text. */
  readonly leaks: readonly string[];
  /** What is outside was changed. */
  readonly damaged: boolean;
  /** Ends of calls that no swap explains. */
  readonly surprises: readonly string[];
}

/** The ends that a path has which is swapped: it leads out, is no file, is not there, or holds another text. */
const EXPECTED: ReadonlySet<string | null> = new Set([
  null,
  "permission_error",
  "invalid_input",
  "not_found",
]);
const SHOWN_MAX = 5;

/** Calls tools on one path, schema to re-check, while a second process exchanges what the path names. */
export async function runToolRace(race: ToolRace): Promise<ToolRaceResult> {
  const { tree, shape } = race;
  tree.reset();
  race.prepare?.(tree, shape.directory ? "dir/f.txt" : "file");
  const { honest, swap, path, renew } = arrangeSwap(tree, shape);
  const before = tree.fingerprint();
  const counts = { calls: 0, honest: 0, leaks: [] as string[], surprises: [] as string[] };
  const swapper = await startSwapper(honest, swap);
  try {
    for (const raced of race.tools) {
      for (let turn = 0; turn < race.calls[raced.worker]; turn++) {
        if (raced.worker === "fresh") whilePaused(swapper, renew);
        const result = await call(race, raced, path);
        counts.calls += 1;
        if (result.errorType === null && textOf(result).includes(raced.honest)) counts.honest += 1;
        judge(result, raced, { tree, shape, ...counts });
      }
    }
  } finally {
    await stopSwapper(swapper);
  }
  return { ...counts, damaged: tree.fingerprint() !== before };
}

function call({ pool, shape }: ToolRace, { tool, input }: RacedTool, path: string): Promise<ToolResult> {
  return invokeTool(
    { id: "call", name: tool.name, input: input(path, shape.directory ? "dir" : ".") },
    {
      registry: new ToolRegistry([tool]),
      pool,
      policy: ALLOW_ALL,
      signal: new AbortController().signal,
      timeoutMs: 5_000,
    },
  );
}

function judge(
  result: ToolResult,
  { waits }: RacedTool,
  {
    tree,
    shape,
    leaks,
    surprises,
  }: Pick<ToolRace, "tree" | "shape"> & { leaks: string[]; surprises: string[] },
): void {
  const said = JSON.stringify([result.content, result.data]);
  // Names of outside are no more for a tool to see than contents.
  const secrets = shape.readMayShowCanary ? ["secret.txt"] : [tree.canary, "secret.txt"];
  if (secrets.some((secret) => said.includes(secret))) note(leaks, result, said);
  if (!EXPECTED.has(result.errorType) && !(waits && result.errorType === "timeout"))
    note(surprises, result, said);
}

function note(list: string[], { toolName }: ToolResult, said: string): void {
  if (list.length < SHOWN_MAX) list.push(`${toolName}: ${said.slice(0, 400)}`);
}

function textOf(result: ToolResult): string {
  return result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

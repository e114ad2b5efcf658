import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOL_ERROR_TYPES } from "../../src/errors.ts";
import { LIMITS } from "../../src/limits.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import { type AttackTree, makeAttackTree } from "../../src/probe/attack-tree.ts";
import {
  arrangeTraps,
  type AttackOutcome,
  PATH_ATTACKS,
  type PathAttack,
  pathOf,
} from "../../src/probe/path-attacks.ts";
import { aShare } from "./effort.ts";
import { ALLOW_ALL } from "./pool-calls.ts";
import { timeToEnd } from "./time-to-end.ts";

export interface ToolContract {
  tool: BaseTool;
  /** An input that names the path; undefined for a tool that takes none. */
  inputFor?: (path: string) => unknown;
  /** An input that works in the attack tree. */
  works: unknown;
  /** What the tool needs in the tree besides. */
  arrange?: (tree: AttackTree) => void;
  /** Whose outcomes of an attack the tool has; without it only the guarantees are checked. */
  access?: "read" | "list" | "write";
}

const SHARES = 3;
/** Milliseconds after its deadline in which a call must have ended, on a machine that does nothing else. */
const END_WITHIN_MS = 50;

/** What every tool keeps to, run through the whole way: schema, guard, worker, re-check. One pool serves all tools. */
export function describeToolContracts(
  contracts: readonly ToolContract[],
  { seal, isolation }: { seal: "require" | "off"; isolation: "thread" | "process" },
): void {
  const whole = seal === "require" && isolation === "thread";
  describe(`seal ${seal}, ${isolation}`, () => {
    let tree: AttackTree;
    let pool: ToolPool;
    beforeAll(() => {
      tree = makeAttackTree();
      pool = new ToolPool({ root: tree.root, seal, isolation, maxThreads: 1 });
    });
    afterAll(async () => {
      await pool.close();
      tree.remove();
    });
    for (const [index, contract] of contracts.entries()) {
      describeToolContract(contract, () => ({ tree, pool }), attacksFor(contract, { whole, index }));
    }
  });
}

interface Stage {
  tree: AttackTree;
  pool: ToolPool;
}

/**
 * All of them where the seal holds in threads; elsewhere tools that write, whose every call starts a thread, get a share
 * each, and the shares add up to all. `RUIZN_TEST_FULL=1` leaves nothing out.
 */
function attacksFor(
  { tool }: ToolContract,
  { whole, index }: { whole: boolean; index: number },
): readonly PathAttack[] {
  if (whole || tool.profile === "read" || process.env["RUIZN_TEST_FULL"])
    return aShare(PATH_ATTACKS, SHARES, index);
  return PATH_ATTACKS.filter((_, at) => at % SHARES === index % SHARES);
}

function describeToolContract(
  contract: ToolContract,
  stage: () => Stage,
  attacks: readonly PathAttack[],
): void {
  describe(contract.tool.name, () => {
    beforeAll(() => {
      reset(contract, stage());
      arrangeTraps(stage().tree);
    });

    const call = (
      input: unknown,
      options: { signal?: AbortSignal; timeoutMs?: number; tool?: BaseTool } = {},
    ): Promise<ToolResult> => {
      const { tool = contract.tool, signal = new AbortController().signal, ...rest } = options;
      const deps = { registry: new ToolRegistry([tool]), pool: stage().pool, policy: ALLOW_ALL, signal };
      return invokeTool({ id: "call", name: tool.name, input }, { ...deps, ...rest });
    };

    it("works, and has a closed schema", async () => {
      expect(await call(contract.works)).toMatchObject({ isError: false, errorType: null });
      const extra = await call({ ...(contract.works as object), unknown_field: 1 });
      expect(extra).toMatchObject({ isError: true, errorType: "invalid_input" });
      expect(contract.tool.inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    });

    it("answers every wrong input as data", async () => {
      for (const input of [undefined, null, 1, "x", [], { path: 1 }, { path: "" }, { pattern: {} }]) {
        const result = await call(input);
        expectBounded(result);
        if (input !== undefined) expect(result.callId).toBe("call");
      }
    });

    it("is cancelled with the run", async () => {
      const result = await call(contract.works, { signal: AbortSignal.abort() });
      expect(result).toMatchObject({ isError: true, errorType: "cancelled" });
    });

    it("is gone soon after its deadline when its body is busy, and the next call works", async () => {
      // The tool as it is, profile and all, but with a body that never comes to an end.
      const busy = Object.create(contract.tool, { module: { value: ENDLESS } }) as BaseTool;
      // A machine that takes longer than that to start a worker gets more time.
      for (const timeoutMs of [400, 1_600, 6_400]) {
        const ended = await timeToEnd(() => call(contract.works, { tool: busy, timeoutMs }), timeoutMs);
        expect(ended.result.errorType).toBe("timeout");
        expect(ended.overdueMs).toBeLessThan(END_WITHIN_MS + ended.lagMs);
        if (said(ended.result).includes(`still running after ${timeoutMs} ms and stopped`)) break;
        expect(timeoutMs).toBeLessThan(6_400);
      }
      reset(contract, stage());
      expect(await call(contract.works)).toMatchObject({ errorType: null });
    });

    it.runIf(contract.inputFor)(
      "shows nothing of a path that leads out, and changes nothing there",
      async () => {
        for (const attack of attacks) await attempt(attack);
      },
    );

    /** Missing directories are made by the tool that writes, where the guard alone does not make them. */
    function allowed(outcomes: readonly AttackOutcome[]): readonly AttackOutcome[] {
      const makesParents = contract.access === "write" && outcomes.includes("not_found");
      return makesParents ? [...outcomes, "ok", "invalid_input"] : outcomes;
    }

    async function attempt(attack: PathAttack): Promise<void> {
      reset(contract, stage());
      const { tree } = stage();
      attack.arrange?.(tree);
      const before = tree.fingerprint();
      const result = await call(contract.inputFor?.(pathOf(attack, tree)));
      expectBounded(result);
      if (!attack.showsCanary) expect(JSON.stringify(result), attack.id).not.toContain(tree.canary);
      expect(tree.fingerprint(), attack.id).toBe(before);
      const outcomes = contract.access && attack[contract.access];
      if (outcomes) expect(allowed(outcomes), `${attack.id} ${said(result)}`).toContain(outcomeOf(result));
    }
  });
}

const ENDLESS = new URL("../fixtures/hostile/loop.js", import.meta.url).href;

function reset(contract: ToolContract, { tree }: Stage): void {
  tree.reset();
  contract.arrange?.(tree);
}

function outcomeOf(result: ToolResult): AttackOutcome {
  return result.errorType ?? "ok";
}

function said(result: ToolResult): string {
  return JSON.stringify(result.content).slice(0, 300);
}

function expectBounded(result: ToolResult): void {
  expect(result.isError).toBe(result.errorType !== null);
  if (result.errorType) expect(TOOL_ERROR_TYPES).toContain(result.errorType);
  expect(JSON.stringify(result).length).toBeLessThan(LIMITS.resultMaxBytes + LIMITS.replyHeadMaxBytes);
  for (const block of result.content) if (block.type === "text") expect(block.text).not.toBe("");
}

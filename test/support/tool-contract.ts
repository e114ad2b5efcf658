import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TOOL_ERROR_TYPES } from "../../src/errors.ts";
import { LIMITS } from "../../src/limits.ts";
import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import { type AttackTree, makeAttackTree } from "./attack-tree.ts";
import { arrangeTraps, type AttackOutcome, PATH_ATTACKS, type PathAttack, pathOf } from "./path-attacks.ts";

export interface ToolContract {
  tool: BaseTool;
  /** An input that names the path; undefined for a tool that takes none. */
  inputFor?: (path: string) => unknown;
  /** An input that works in the attack tree. */
  works: unknown;
  /** Whose outcomes of an attack the tool has; without it only the guarantees are checked. */
  access?: "read" | "list" | "write";
}

/** What every tool keeps to, run through the whole way: schema, guard, worker, re-check. */
export function describeToolContract(contract: ToolContract, seal: "require" | "off"): void {
  describe(`${contract.tool.name}, seal ${seal}`, () => {
    let tree: AttackTree;
    let pool: ToolPool;
    beforeAll(() => {
      tree = makeAttackTree();
      arrangeTraps(tree);
      pool = new ToolPool({ root: tree.root, seal, maxThreads: 1 });
    });
    afterAll(async () => {
      await pool.close();
      tree.remove();
    });

    const call = (input: unknown, signal = new AbortController().signal): Promise<ToolResult> => {
      const deps = { registry: new ToolRegistry([contract.tool]), pool, policy: ALLOW_ALL, signal };
      return invokeTool({ id: "call", name: contract.tool.name, input }, deps);
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
      expect(await call(contract.works, AbortSignal.abort())).toMatchObject({
        isError: true,
        errorType: "cancelled",
      });
    });

    it.runIf(contract.inputFor)(
      "shows nothing of a path that leads out, and changes nothing there",
      async () => {
        for (const attack of PATH_ATTACKS) await attempt(attack);
      },
    );

    /** Missing directories are made by the tool that writes, where the guard alone does not make them. */
    function allowed(outcomes: readonly AttackOutcome[]): readonly AttackOutcome[] {
      const makesParents = contract.access === "write" && outcomes.includes("not_found");
      return makesParents ? [...outcomes, "ok", "invalid_input"] : outcomes;
    }

    async function attempt(attack: PathAttack): Promise<void> {
      const own = makeAttackTree();
      const ownPool = new ToolPool({ root: own.root, seal, maxThreads: 1 });
      try {
        attack.arrange?.(own);
        const before = own.fingerprint();
        const input = contract.inputFor?.(pathOf(attack, own));
        const deps = { registry: new ToolRegistry([contract.tool]), pool: ownPool, policy: ALLOW_ALL };
        const signal = new AbortController().signal;
        const result = await invokeTool(
          { id: attack.id, name: contract.tool.name, input },
          { ...deps, signal },
        );
        expectBounded(result);
        if (!attack.showsCanary) expect(JSON.stringify(result), attack.id).not.toContain(own.canary);
        expect(own.fingerprint(), attack.id).toBe(before);
        const outcomes = contract.access && attack[contract.access];
        if (outcomes) expect(allowed(outcomes), `${attack.id} ${said(result)}`).toContain(outcomeOf(result));
      } finally {
        await ownPool.close();
        own.remove();
      }
    }
  });
}

const ALLOW_ALL = { decide: () => ({ allowed: true as const }) };

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

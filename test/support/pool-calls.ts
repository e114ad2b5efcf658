import { ToolPool } from "../../src/sandbox/tool-pool.ts";
import type { BaseTool } from "../../src/tools/base-tool.ts";
import { invokeTool } from "../../src/tools/invoke-tool.ts";
import { ToolRegistry } from "../../src/tools/tool-registry.ts";
import type { ToolResult } from "../../src/tools/tool-result.ts";
import type { Outcome } from "./tool-workspace.ts";

export const ALLOW_ALL = { decide: () => ({ allowed: true as const }) };

export interface PoolCallOptions {
  signal?: AbortSignal;
  timeoutMs?: number;
}

/** Calls tools the whole way, schema to re-check, in sealed workers; a pool for each workspace, until `close`. */
export class PoolCalls {
  readonly #pools = new Map<string, ToolPool>();

  invoke(root: string, tool: BaseTool, input: unknown, options: PoolCallOptions = {}): Promise<ToolResult> {
    const { signal = new AbortController().signal, ...rest } = options;
    const deps = {
      registry: new ToolRegistry([tool]),
      pool: this.pool(root),
      policy: ALLOW_ALL,
      signal,
      ...rest,
    };
    return invokeTool({ id: "call", name: tool.name, input }, deps);
  }

  pool(root: string): ToolPool {
    let pool = this.#pools.get(root);
    if (!pool) this.#pools.set(root, (pool = new ToolPool({ root, seal: "require", maxThreads: 1 })));
    return pool;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#pools.values()].map((pool) => pool.close()));
    this.#pools.clear();
  }
}

/** A result in the words of a body's own outcome. */
export function asOutcome(result: ToolResult): Outcome {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  if (result.errorType === null) return { ok: true, texts, content: result.content, data: result.data };
  const message = (texts[0] ?? "").slice(`${result.errorType}: ${result.toolName}: `.length);
  return { ok: false, errorType: result.errorType, message, data: result.data };
}

// Tool calls as a run makes them (policy, both guards, seal, re-check), without a run around them.
import { ToolPool } from "../../dist/src/sandbox/tool-pool.js";
import { writeTools, readTools } from "../../dist/src/tools/built-in.js";
import { invokeTool } from "../../dist/src/tools/invoke-tool.js";
import { ToolRegistry } from "../../dist/src/tools/tool-registry.js";

export async function startTools(root, { isolation, tools = [...readTools(), ...writeTools()] } = {}) {
  const pool = new ToolPool({ root, seal: "try", ...(isolation && { isolation }) });
  const { state } = await pool.check();
  const deps = {
    registry: new ToolRegistry(tools),
    pool,
    policy: { decide: () => ({ allowed: true }) },
    signal: new AbortController().signal,
    timeoutMs: 60_000,
  };
  const call = (name, input, more) => invokeTool({ id: "c", name, input }, { ...deps, ...more });
  return {
    seal: state,
    call,
    /** For calls that have to come out well. */
    async mustCall(name, input) {
      const result = await call(name, input);
      if (result.isError) throw new Error(JSON.stringify(result));
      return result;
    },
    close: () => pool.close(),
  };
}

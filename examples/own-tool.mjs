// A tool of one's own in a library run: its module is loaded in sealed tool hosts alone, never here.
import { fileURLToPath } from "node:url";
import { invokeTool, loadUserTools, ToolPool, ToolRegistry } from "ruizn";

const root = process.cwd();
const file = fileURLToPath(new URL("word-count.mjs", import.meta.url));
const loaded = await loadUserTools([file], { root, seal: "try" });
const pool = new ToolPool({ root, seal: "try" });
try {
  const result = await invokeTool(
    { id: "call_1", name: "word_count", input: { path: "README.md" } },
    {
      registry: new ToolRegistry(loaded.tools),
      pool,
      policy: { decide: () => ({ allowed: true }) },
      signal: AbortSignal.timeout(30_000),
    },
  );
  console.log(result.content[0].text, `(${result.isolation})`);
} finally {
  await pool.close();
  loaded.close();
}

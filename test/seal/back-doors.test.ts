import { describe, expect, test } from "vitest";
import { SEALABLE, sealedPlace } from "./sealed-place.ts";

describe.runIf(SEALABLE)("what the kernel cannot refuse to a sealed thread", () => {
  const { start } = sealedPlace("back-doors");

  test("is gone from its JavaScript: loaded addons, the inspector, inner bindings, fresh realms", async () => {
    const { run } = await start({ profile: "write" });
    const results = await run(({ node: { inspector, workerThreads } }) => {
      const inner = process as unknown as { binding: (name: string) => unknown };
      const attempts: Record<string, () => unknown> = {
        // Loaded already, and found by its name alone.
        addon: () => process.dlopen({ exports: {} }, "koffi.node"),
        server: () => inspector.open(0),
        session: () => new inspector.Session().connect(),
        binding: () => inner.binding("inspector"),
        realm: () =>
          new workerThreads.Worker("process.dlopen({ exports: {} }, 'koffi.node')", { eval: true }),
        undo: () => Object.defineProperty(process, "dlopen", { value: undefined }),
      };
      return Object.entries(attempts).map(([name, attempt]) => {
        try {
          attempt();
          return [name, "done"];
        } catch (error) {
          return [name, (error as NodeJS.ErrnoException).code ?? (error as Error).name];
        }
      });
    });
    expect(results).toEqual([
      ["addon", "ERR_DLOPEN_FAILED"],
      ["server", "ERR_ACCESS_DENIED"],
      ["session", "ERR_ACCESS_DENIED"],
      ["binding", "ERR_ACCESS_DENIED"],
      ["realm", "ERR_WORKER_INIT_FAILED"],
      ["undo", "TypeError"],
    ]);
  });

  test("is still open to the loader that was kept from before the seal: so it must be taken away", async () => {
    const { run } = await start({ profile: "read" });
    const loaded = await run(({ dlopen }) => {
      const found = { exports: {} };
      dlopen(found, "koffi.node");
      return "load" in found.exports;
    });
    expect(loaded).toBe(true);
  });
});

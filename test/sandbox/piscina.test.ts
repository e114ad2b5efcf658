import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";

// Of piscina's inside we rely on this alone: without it replies are copied instead of moved.
test("piscina's worker file has the symbols beside it that mark a moved reply", () => {
  const require = createRequire(import.meta.url);
  const folder = dirname(require.resolve("piscina"));
  const symbols = require(join(folder, "symbols.js")) as Record<string, unknown>;
  expect(symbols).toMatchObject({
    kMovable: expect.any(Symbol),
    kTransferable: Symbol.for("Piscina.transferable"),
    kValue: Symbol.for("Piscina.valueOf"),
  });
  expect(require.resolve(join(folder, "worker.js"))).toBe(join(folder, "worker.js"));
});

// What a call costs over a bare pool that reads the same 4 KB: policy, schema, guards, open beneath the root, re-check.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { barePool } from "../lib/bare-pool.mjs";
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";
import { workerAlone } from "../lib/worker-alone.mjs";

export function measure({ quick }) {
  return withScratch(async (root) => {
    const path = join(root, "4k.txt");
    writeFileSync(path, "0123456789abcde\n".repeat(256));
    const bare = barePool();
    const tools = await startTools(root);
    const times = await inTurns(
      {
        bare: () => bare.run({ path }),
        ours: () => tools.mustCall("read_file", { path: "4k.txt" }),
      },
      { rounds: quick ? 5 : 20, calls: 200, warmUp: 3 },
    );
    await Promise.all([bare.destroy(), tools.close()]);
    const alone = await workerAlone(root, { body: "read_file", input: { path: "4k.txt" }, calls: 2_000 });
    const us = (list) => list.map((round) => round.map((ms) => ms * 1_000));
    return {
      measures: [
        ratioOf({
          what: `read 4 KB, sealed (${tools.seal}), warm shared worker`,
          against: "bare piscina doing the same",
          unit: "µs",
          goal: { max: 1.3 },
          limit: `openat2, readlink, fstat, SHA-256 and evidence in the worker, ${(alone * 1_000).toFixed(0)} µs when it does nothing else and its caches are warm; schema, guard, deadline and re-check outside it`,
          base: us(times.bare),
          ours: us(times.ours),
        }),
      ],
    };
  });
}

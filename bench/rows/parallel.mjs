// Eight calls that work (each searches two thousand files) at once, and one after the other.
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { plantTree } from "../lib/tree.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";

const CALLS = 8;

export function measure({ quick }) {
  return withScratch(async (root) => {
    plantTree(root, CALLS * 1_000);
    const tools = await startTools(root);
    const inputs = Array.from({ length: CALLS }, (_, part) => ({
      pattern: "needle-\\d+",
      path: `part-${part}`,
    }));
    const times = await inTurns(
      {
        parallel: () => Promise.all(inputs.map((input) => tools.mustCall("grep", input))),
        sequence: async () => {
          for (const input of inputs) await tools.mustCall("grep", input);
        },
      },
      { rounds: quick ? 4 : 12, warmUp: 2 },
    );
    await tools.close();
    return {
      measures: [
        ratioOf({
          what: "8 calls one after the other",
          against: "the same 8 at once",
          unit: "ms",
          goal: { min: 1.7 },
          limit: "the number of idle cores",
          base: times.parallel,
          ours: times.sequence,
        }),
      ],
    };
  });
}

// A tool call inside a run of thirty: from the end of the reply that asks for it to the head of the next request.
import { startContenders } from "../lib/contenders.mjs";
import { ratioOf } from "../lib/turns.mjs";

export async function measure({ quick }) {
  const contenders = await startContenders({ calls: 30 });
  const turns = { floor: [], ruizn: [] };
  try {
    for (let round = -1; round < (quick ? 3 : 9); round += 1) {
      for (const name of Object.keys(turns)) {
        const sample = await contenders.run(name);
        if (round >= 0) turns[name].push(sample.turns);
      }
    }
  } finally {
    contenders.close();
  }
  return {
    measures: [
      ratioOf({
        what: "a call in a run of 30, reply → next request",
        against: "the same script",
        unit: "ms",
        goal: { max: 1.5 },
        limit: "two thread changes, two guards, the re-check and each step's events on disk",
        base: turns.floor,
        ours: turns.ruizn,
      }),
    ],
  };
}

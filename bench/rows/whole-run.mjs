// Start, read a 4 KB README by a tool, answer: two model calls.
import { startContenders } from "../lib/contenders.mjs";
import { ratioOf } from "../lib/turns.mjs";

const AGAINST = "a script on the SDK, bundled, its tool inline";

export async function measure({ quick }) {
  const contenders = await startContenders();
  const samples = { floor: [], ruizn: [] };
  try {
    for (let round = -2; round < (quick ? 5 : 21); round += 1) {
      for (const name of Object.keys(samples)) {
        const sample = await contenders.run(name);
        if (round >= 0) samples[name].push(sample);
      }
    }
  } finally {
    contenders.close();
  }
  const of = (key, what, unit, goal, limit) =>
    ratioOf({
      what,
      against: AGAINST,
      unit,
      goal: { max: goal },
      limit,
      base: samples.floor.map((sample) => sample[key]),
      ours: samples.ruizn.map((sample) => sample[key]),
    });
  const extra =
    "the sealed worker is a second V8 isolate, which has to be started and to attack its own seal";
  return {
    measures: [
      of("wall", "whole run, wall clock", "ms", 1, extra),
      of("cpu", "whole run, CPU", "ms", 1.1, extra),
      of("rss", "whole run, peak memory", "MB", 0.9, extra),
      of(
        "first",
        "exec → first request",
        "ms",
        0.9,
        "nothing is sent before the worker has started and its seal has held against an attack (docs/decisions/0001)",
      ),
    ],
  };
}

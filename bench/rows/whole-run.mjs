// Start, read a 4 KB README by a tool, answer: two model calls.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { startContenders } from "../lib/contenders.mjs";
import { statistics } from "../lib/statistics.mjs";
import { ratioOf } from "../lib/turns.mjs";

const AGAINST = "a script on the SDK, bundled, its tool inline";

const THREAD = fileURLToPath(new URL("../floor/thread.mjs", import.meta.url));

/** Milliseconds from exec to a worker thread that has loaded its file, with nothing else in the process. */
function threadAlone() {
  const startedAt = performance.timeOrigin + performance.now();
  const env = { PATH: process.env.PATH };
  return Number(execFileSync(process.execPath, [THREAD], { env, encoding: "utf8" })) - startedAt;
}

export async function measure({ quick }) {
  const contenders = await startContenders();
  const samples = { floor: [], ruizn: [] };
  const threads = [];
  try {
    for (let round = -2; round < (quick ? 5 : 21); round += 1) {
      for (const name of Object.keys(samples)) {
        const sample = await contenders.run(name);
        if (round >= 0) samples[name].push(sample);
      }
      const thread = threadAlone();
      if (round >= 0) threads.push(thread);
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
        `nothing is sent before the worker has started and its seal has held against an attack (docs/decisions/0001): a process that does nothing but start the thread has it after ${statistics(threads).median.toFixed(0)} ms`,
      ),
    ],
  };
}

// A call that needs a worker of its own (it writes), when a spare had time to start: the model thinks between calls.
import { closeSync, fsyncSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { statistics } from "../lib/statistics.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";

const THINK_MS = 120;
const TEXT = "a line of text\n".repeat(10);
const FILE = fileURLToPath(new URL("../workers/bare-write.cjs", import.meta.url));

async function newWorker(path) {
  const worker = new Worker(FILE, { resourceLimits: { maxOldGenerationSizeMb: 256 } });
  worker.postMessage({ path, text: TEXT });
  await new Promise((resolve, reject) => worker.once("message", resolve).once("error", reject));
  void worker.terminate();
}

/** The least that a write takes which is whole on disk before it is there under its name. */
function writeWhole(path) {
  const beside = `${path}.new`;
  const fd = openSync(beside, "w");
  writeSync(fd, TEXT);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(beside, path);
}

export function measure({ quick }) {
  return withScratch(async (root) => {
    const tools = await startTools(root);
    const write = () => tools.mustCall("write_file", { path: "ours.txt", content: TEXT, overwrite: true });
    const times = await inTurns(
      {
        bare: () => newWorker(join(root, "bare.txt")),
        ours: write,
        inline: () => writeWhole(join(root, "inline.txt")),
      },
      { rounds: quick ? 10 : 60, warmUp: 3, before: () => sleep(THINK_MS) },
    );
    await tools.close();
    return {
      measures: [
        ratioOf({
          what: "a fresh sealed worker for a call that writes",
          against: "a new Worker for each call",
          unit: "ms",
          goal: { max: 0.1 },
          limit: `writing beside the file, syncing and renaming take ${statistics(times.inline.flat()).median.toFixed(1)} ms with nothing around them, in this go; the bare one writes in place`,
          base: times.bare,
          ours: times.ours,
        }),
      ],
    };
  });
}

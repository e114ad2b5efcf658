// Memory while the model thinks: after one tool call, the second request is out and no answer comes.
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { startContenders } from "../lib/contenders.mjs";
import { ratioOf } from "../lib/turns.mjs";

const THINK_MS = 1_500;
const LOOK_AFTER_MS = 700;

async function idleMb(contenders, name) {
  const { child, texts } = contenders.spawn(name);
  while (contenders.requests.length < 2) {
    if (child.exitCode !== null) throw new Error(`${name} ended early: ${(await texts)[1]}`);
    await sleep(5);
  }
  await sleep(LOOK_AFTER_MS);
  const rss = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${child.pid}/smaps_rollup`, "utf8"))[1];
  await texts;
  return Number(rss) / 1_024;
}

export async function measure({ quick }) {
  if (process.platform !== "linux") return { skipped: "reads /proc" };
  const contenders = await startContenders({ thinkMs: THINK_MS });
  const mb = { floor: [], ruizn: [] };
  try {
    for (let round = 0; round < (quick ? 3 : 7); round += 1) {
      for (const name of Object.keys(mb)) mb[name].push(await idleMb(contenders, name));
    }
  } finally {
    contenders.close();
  }
  return {
    measures: [
      ratioOf({
        what: "memory while the model thinks, one warm worker",
        against: "the script on the SDK",
        unit: "MB",
        goal: { max: 1.1 },
        limit: "an idle worker thread is an isolate of 8 to 11 MB (18 on Node 24)",
        base: mb.floor,
        ours: mb.ruizn,
      }),
    ],
  };
}

// The same built-in tool in a thread and in a tool host, a process of its own.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { differenceOf, inTurns } from "../lib/turns.mjs";

const LARGE = 524_288;

export function measure({ quick }) {
  return withScratch(async (root) => {
    writeFileSync(join(root, "4k.txt"), "0123456789abcde\n".repeat(256));
    writeFileSync(join(root, "512k.txt"), `${"x".repeat(63)}\n`.repeat(LARGE / 64));
    const [thread, host] = [await startTools(root), await startTools(root, { isolation: "process" })];
    const compared = async (input, calls) => {
      const call = (tools) => () => tools.mustCall("read_file", input);
      return inTurns({ base: call(thread), ours: call(host) }, { rounds: quick ? 4 : 12, calls, warmUp: 3 });
    };
    const small = await compared({ path: "4k.txt" }, 100);
    const large = await compared({ path: "512k.txt", max_bytes: LARGE, limit: LARGE / 64 }, 20);
    await Promise.all([thread.close(), host.close()]);
    const of = (what, goal, times) =>
      differenceOf({
        what: `process tier, ${what}`,
        against: "thread tier",
        unit: "ms",
        goal: { max: goal },
        limit: "a pipe and two event loops more",
        ...times,
      });
    return { measures: [of("4 KB", 0.5, small), of("512 KB", 2, large)] };
  });
}

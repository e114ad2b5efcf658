// 512 KB from a file to a string in the main thread.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { barePool } from "../lib/bare-pool.mjs";
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";
import { workerAlone } from "../lib/worker-alone.mjs";

const BYTES = 524_288;

export function measure({ quick }) {
  return withScratch(async (root) => {
    const path = join(root, "512k.txt");
    writeFileSync(
      path,
      "0123456789abcde0123456789abcde0123456789abcde0123456789abcdefgh\n".repeat(BYTES / 64),
    );
    const bare = barePool();
    const tools = await startTools(root);
    const decoder = new TextDecoder();
    const input = { path: "512k.txt", max_bytes: BYTES, limit: BYTES / 64 };
    const times = await inTurns(
      {
        bare: async () => decoder.decode(await bare.run({ path, moved: true })),
        ours: async () => {
          const { content } = await tools.mustCall("read_file", input);
          if (content[0].text.length !== BYTES) throw new Error(`${content[0].text.length} characters`);
        },
      },
      { rounds: quick ? 5 : 15, calls: 20, warmUp: 3 },
    );
    await Promise.all([bare.destroy(), tools.close()]);
    const alone = await workerAlone(root, { body: "read_file", input, calls: 200 });
    return {
      measures: [
        ratioOf({
          what: "a result of 512 KB",
          against: "bare piscina, moved ArrayBuffer and decode",
          unit: "ms",
          goal: { max: 1.2 },
          limit: `the file's SHA-256, its lines and its size as JSON: the worker's part alone takes ${alone.toFixed(2)} ms; the re-check counts that size once more`,
          base: times.bare,
          ours: times.ours,
        }),
      ],
    };
  });
}

// 512 KB from a file to a string in the main thread.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { barePool } from "../lib/bare-pool.mjs";
import { withScratch } from "../lib/scratch.mjs";
import { startTools } from "../lib/tools.mjs";
import { inTurns, ratioOf } from "../lib/turns.mjs";

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
    const times = await inTurns(
      {
        bare: async () => decoder.decode(await bare.run({ path, moved: true })),
        ours: async () => {
          const { content } = await tools.mustCall("read_file", {
            path: "512k.txt",
            max_bytes: BYTES,
            limit: BYTES / 64,
          });
          if (content[0].text.length !== BYTES) throw new Error(`${content[0].text.length} characters`);
        },
      },
      { rounds: quick ? 5 : 15, calls: 20, warmUp: 3 },
    );
    await Promise.all([bare.destroy(), tools.close()]);
    return {
      measures: [
        ratioOf({
          what: "a result of 512 KB",
          against: "bare piscina, moved ArrayBuffer and decode",
          unit: "ms",
          goal: { max: 1.2 },
          limit: "the file's SHA-256, its lines, and the check that it is text that fits as JSON",
          base: times.bare,
          ours: times.ours,
        }),
      ],
    };
  });
}

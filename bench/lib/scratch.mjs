import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Runs `work` with an empty folder that is gone afterwards. */
export async function withScratch(work) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-bench-")));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

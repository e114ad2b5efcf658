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

/**
 * A folder for the whole process, and its temporary folder, so that what it starts and kills leaves nothing elsewhere. It is
 * gone when the process ends, also by Ctrl+C.
 */
export function scratchFolder() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-bench-")));
  process.env.TMPDIR = folder;
  process.once("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => process.exit(1));
  return folder;
}

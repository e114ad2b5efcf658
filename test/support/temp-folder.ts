import { chmodSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** All that a run of the tests makes in the temporary folder goes into one of its own, and goes with it. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "ruizn-tests-"));
  // Some tests run the command as another user.
  chmodSync(folder, 0o755);
  process.env["TMPDIR"] = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

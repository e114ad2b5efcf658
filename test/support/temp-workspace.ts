import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** An empty folder of the test's own, gone when the test is. Canonical path. */
export function tempWorkspace(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "ruizn-test-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

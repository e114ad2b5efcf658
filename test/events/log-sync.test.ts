import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { LogSync } from "../../src/events/log-sync.ts";
import { Folder } from "../../src/events/run-folder.ts";

let path: string;
let folder: Folder;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "ruizn-log-sync-"));
  folder = Folder.at(path);
});

afterEach(() => {
  folder.close();
  rmSync(path, { recursive: true });
});

/** Until `holds`, or for two seconds. */
async function eventually(holds: () => boolean): Promise<boolean> {
  for (let tries = 0; tries < 200 && !holds(); tries += 1) await sleep(10);
  return holds();
}

describe("a sync behind the run's back", () => {
  it("keeps the descriptor until it is done, and no longer", async () => {
    const fd = openSync(join(path, "log"), "ax");
    writeSync(fd, "a line\n");
    const sync = new LogSync(fd, folder);
    let released = false;
    sync.behind();
    sync.behind();
    sync.close(() => {
      closeSync(fd);
      released = true;
    });
    expect(released).toBe(false);
    expect(await eventually(() => released)).toBe(true);
  });

  it("lets go at once when none is running", () => {
    const fd = openSync(join(path, "log"), "ax");
    const sync = new LogSync(fd, folder);
    sync.now();
    let released = false;
    sync.close(() => (released = true));
    closeSync(fd);
    expect(released).toBe(true);
  });

  it.each(["behind", "now"] as const)("that fails is told by the next call, `%s`", async (next) => {
    // The kernel has nothing to sync there and says so.
    const fd = openSync("/dev/null", "a");
    const sync = new LogSync(fd, folder);
    sync.behind();
    await sleep(100);
    expect(() => sync[next]()).toThrow(expect.objectContaining({ code: "EINVAL" }) as Error);
    closeSync(fd);
  });
});

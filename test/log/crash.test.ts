import { spawn, spawnSync } from "node:child_process";
import { chmodSync, existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { readEvents } from "../../src/events/event-reader.ts";
import { verifyLog } from "../../src/log/verify-log.ts";
import { canMount } from "../support/can-mount.ts";
import { SAMPLE_RUN_ID, temporaryFolder } from "../support/sample-log.ts";
import { effort } from "../support/effort.ts";

const CHILD = fileURLToPath(new URL("../support/log-child.mjs", import.meta.url));
/** `npm run proofs` kills more. */
const KILLS = Number(process.env["RUIZN_TEST_KILLS"] ?? effort(50, 15));

const runPath = (workspace: string) => join(workspace, ".ruizn", "runs", SAMPLE_RUN_ID);

/** What is in the log of a run that ended badly: whole events, and at most one torn line after them. */
function whatIsThere(workspace: string) {
  const entries = [...readEvents(runPath(workspace))];
  const torn = entries.at(-1)?.kind === "torn" ? 1 : 0;
  const events = entries.slice(0, entries.length - torn);
  expect(events.every(({ kind }) => kind === "event")).toBe(true);
  const kinds = verifyLog(runPath(workspace)).problems.map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(torn ? ["torn", "unsealed"] : ["unsealed"]);
  return { events: events.length, torn };
}

describe("a run killed with SIGKILL while it publishes", () => {
  it("has every event in its log whose publish had returned, and a chain that holds", async () => {
    let acknowledged = 0;
    let unacknowledged = 0;
    let torn = 0;
    for (let kill = 0; kill < KILLS; kill++) {
      const workspace = temporaryFolder();
      const size = [10, 900, 60_000, 70_000][kill % 4];
      const child = spawn(process.execPath, [CHILD, workspace, "1000000", String(size), "none"]);
      const told = await new Promise<string>((resolve, reject) => {
        let text = "";
        child.stdout.on("data", (chunk: Buffer) => {
          if (text === "") setTimeout(() => child.kill("SIGKILL"), Math.random() * 20);
          text += chunk.toString();
        });
        child.on("error", reject);
        child.on("close", () => resolve(text));
      });
      const last = Number(told.slice(0, told.lastIndexOf("\n")).split("\n").at(-1));
      const there = whatIsThere(workspace);
      expect(there.events).toBeGreaterThanOrEqual(last);
      expect(there.events).toBeLessThanOrEqual(last + 1);
      acknowledged += last;
      unacknowledged += there.events - last;
      torn += there.torn;
    }
    console.log(
      `kills: ${KILLS}; events acknowledged before the kill: ${acknowledged}, of them lost: 0; ` +
        `written and not yet acknowledged: ${unacknowledged}; torn lines: ${torn}`,
    );
  }, 120_000);
});

describe("a log that can't be written", () => {
  const run = (workspace: string, wrap: string[] = []) => {
    const [command, ...args] = [...wrap, process.execPath, CHILD, workspace, "5000", "900", "step"];
    const { stdout, stderr, status } = spawnSync(command as string, args);
    const told = stdout.toString().split("\n").length - 1;
    return { told, status, error: JSON.parse(stderr.toString()) };
  };

  it("says how many events are on disk when the file-size limit is reached", () => {
    const workspace = temporaryFolder();
    const { told, status, error } = run(workspace, ["prlimit", "--fsize=300000"]);
    expect(told).toBeGreaterThan(100);
    expect([status, error]).toEqual([
      60,
      {
        code: "log_unwritable",
        message:
          `${join(runPath(workspace), "events.jsonl")}: event ${told + 1} (llm.token) is lost: ` +
          `the file-size limit is reached (EFBIG); ${told} whole events are on disk`,
      },
    ]);
    expect(whatIsThere(workspace).events).toBe(told);
  });

  it.runIf(canMount())("says so when the disk is full", (context) => {
    const workspace = temporaryFolder();
    const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", workspace]);
    if (mount.status !== 0) context.skip();
    onTestFinished(() => void spawnSync("umount", [workspace]));
    const { told, status, error } = run(workspace);
    expect(told).toBeGreaterThan(10);
    expect([status, error]).toEqual([
      60,
      {
        code: "log_unwritable",
        message: expect.stringMatching(
          new RegExp(`is lost: no space left on the disk \\(ENOSPC\\); ${told} whole events are on disk$`),
        ),
      },
    ]);
    expect(whatIsThere(workspace).events).toBe(told);
  });

  it("says so when the workspace is read-only", () => {
    const workspace = temporaryFolder();
    chmodSync(workspace, 0o555);
    // Permission bits do not bind root, unless it gives its capabilities away.
    const bound = process.getuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] : [];
    const { told, status, error } = run(workspace, bound);
    const own = join(workspace, ".ruizn");
    expect([told, status, error, existsSync(own)]).toEqual([
      0,
      60,
      {
        code: "log_unwritable",
        message: `the run's log can't be written: ${own} can't be made or opened (EACCES)`,
      },
      false,
    ]);
  });
});

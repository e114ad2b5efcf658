import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { text, toolUse } from "../../src/testing.ts";
import { type LoggedEvent, loggedEvents, runCli, scriptedModel, tempFolder } from "./cli-process.ts";

/** Notes for each call that makes the log lasting, waited for or not, how many lines it had. */
const WATCH = `
  const fs = require("node:fs");
  for (const name of ["fdatasync", "fdatasyncSync"]) {
    const sync = fs[name];
    fs[name] = (fd, ...more) => {
      const lines = fs.readFileSync("/proc/self/fd/" + fd, "utf8").split("\\n").length - 1;
      fs.appendFileSync(process.env.SYNCED, name + " " + lines + "\\n");
      return sync(fd, ...more);
    };
  }
  require("node:module").syncBuiltinESMExports();`;

async function syncedAfter(
  flags: string[],
): Promise<{ events: LoggedEvent[]; waited: number[]; begun: number[] }> {
  const { env } = await scriptedModel([
    toolUse("read_file", { path: "a.txt" }),
    toolUse("write_file", { path: "b.txt", content: "b" }),
    text("done"),
  ]);
  const cwd = tempFolder({ "a.txt": "a" });
  const aside = tempFolder({ "watch.cjs": WATCH, synced: "" });
  const watched = {
    ...env,
    NODE_OPTIONS: `--require=${join(aside, "watch.cjs")}`,
    SYNCED: join(aside, "synced"),
  };
  const go = ["run", "--goal", "go", "--sandbox", "workspace-write", ...flags];
  expect(await runCli(go, { cwd, env: watched })).toMatchObject({ code: 0 });
  const calls = readFileSync(join(aside, "synced"), "utf8")
    .split("\n")
    .map((line) => line.split(" "));
  const linesAt = (name: string) =>
    calls.flatMap(([called, lines]) => (called === name ? [Number(lines)] : []));
  return {
    events: loggedEvents(join(cwd, ".ruizn", "runs")),
    waited: linesAt("fdatasyncSync"),
    begun: linesAt("fdatasync"),
  };
}

const mustLast = ({ type, read_only }: LoggedEvent): boolean =>
  type === "run.finished" || (type === "tool_call.started" && read_only !== true);

test.runIf(process.platform === "linux").each<[string, string[], (event: LoggedEvent) => boolean, boolean]>([
  ["--fsync none: never", ["--fsync", "none"], () => false, false],
  ["by default: before a write and at the end, and begun at the end of each step", [], mustLast, true],
  ["--fsync step: the same", ["--fsync", "step"], mustLast, true],
  ["--fsync event: after every event", ["--fsync", "event"], () => true, false],
])("%s", async (_, flags, expected, begins) => {
  const { events, waited, begun } = await syncedAfter(flags);
  expect(waited).toEqual(events.filter(expected).map(({ seq }) => seq));
  // Those that come while one is under way are made as one, after it.
  const firstStep = events.find(({ type }) => type === "step.finished");
  expect(begun.slice(0, 1)).toEqual(begins ? [firstStep?.seq] : []);
});

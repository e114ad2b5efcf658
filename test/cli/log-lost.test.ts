import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { text, toolUse, turn } from "../../src/testing.ts";
import { canMount } from "../support/can-mount.ts";
import { type CliOutcome, runCli, scriptedModel, startShell, tempFolder } from "./cli-process.ts";

const WRITE = { path: "out.txt", content: "written after the log was lost\n" };
const RUN = ["run", "--goal", "go", "--sandbox", "workspace-write"];
const LONG_TALK = turn(
  [
    { type: "text", text: "word ".repeat(60_000) },
    { type: "tool_use", name: "write_file", input: WRITE },
  ],
  { chunkChars: 100 },
);

const counts = { logs: 0, refused: 0 };
afterAll(() => console.log("logs lost under a run:", JSON.stringify(counts)));

/** One line says what is lost, why, and how much of the log is there; nothing was written after it. */
function judge({ code, stderr }: CliOutcome, cwd: string, why: RegExp): number {
  const errors = stderr.split("\n").filter((line) => line.startsWith("error: "));
  expect({ code, errors: errors.length, why: why.test(errors[0] ?? "") }, stderr).toEqual({
    code: 60,
    errors: 1,
    why: true,
  });
  expect(stderr).not.toMatch(/\n\s+at /);
  counts.logs += 1;
  if (!existsSync(join(cwd, WRITE.path))) counts.refused += 1;
  expect(existsSync(join(cwd, WRITE.path))).toBe(false);
  return Number(/; (\d+) whole events? (?:is|are) on disk/.exec(errors[0] ?? "")?.[1]);
}

const wholeEvents = (file: string): number => readFileSync(file, "utf8").split("\n").length - 1;
const logOf = (runs: string): string => join(runs, readdirSync(runs)[0] ?? "", "events.jsonl");

test.each<[string, (file: string) => string | undefined, RegExp]>([
  [
    "removed",
    (file) => {
      rmSync(file);
      return undefined;
    },
    /it was removed during the run; nothing of it is on disk/,
  ],
  [
    "moved away",
    (file) => {
      renameSync(file, `${file}.moved`);
      return `${file}.moved`;
    },
    /it was moved away during the run; \d+ whole events are on disk under another name/,
  ],
  [
    "moved away with its folder",
    (file) => {
      const folder = join(file, "..");
      renameSync(folder, `${folder}-moved`);
      return join(`${folder}-moved`, "events.jsonl");
    },
    /it was moved away during the run; \d+ whole events are on disk under another name/,
  ],
  [
    "replaced by another file",
    (file) => {
      renameSync(file, `${file}.moved`);
      writeFileSync(file, "{}\n");
      return `${file}.moved`;
    },
    /another file was put in its place during the run; \d+ whole events are on disk under/,
  ],
  [
    "cut",
    (file) => {
      truncateSync(file, 10);
      return undefined;
    },
    /it has \d+ bytes where the run wrote \d+; it is not whole on disk/,
  ],
])("a log that is %s under the run ends it with 60 before the next tool", async (_, act, why) => {
  const cwd = tempFolder({ "a.txt": "a" });
  const runs = join(cwd, ".ruizn", "runs");
  let kept: string | undefined;
  const script = [toolUse("read_file", { path: "a.txt" }), toolUse("write_file", WRITE), text("never")];
  const { env, double } = await scriptedModel(() => {
    if (double.requests.length === 2) kept = act(logOf(runs));
    return script[double.requests.length - 1] ?? text("never");
  });
  const told = judge(await runCli(RUN, { cwd, env }), cwd, why);
  expect(double.requests).toHaveLength(2);
  if (kept !== undefined) expect(wholeEvents(kept)).toBe(told);
});

test("a log that reaches the file-size limit ends the run with 60, and goes on without the limit", async () => {
  const { env } = await scriptedModel([LONG_TALK, text("done")]);
  const cwd = tempFolder();
  const mine = { ...env, HOME: tempFolder() };
  const shell = startShell(`exec prlimit --fsize=50000 "$NODE" "$BIN" ${RUN.join(" ")}`, { cwd, env: mine });
  const told = judge(await shell.done, cwd, /the file-size limit is reached \(EFBIG\)/);
  await goesOn({ cwd, env: mine, runs: join(cwd, ".ruizn", "runs"), told, flags: [] });
});

test.runIf(canMount())(
  "a full disk ends the run with 60, and it goes on when there is room again",
  async () => {
    const { env } = await scriptedModel([LONG_TALK, text("done")]);
    const [cwd, disk] = [tempFolder(), tempFolder()];
    expect(spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", disk]).status).toBe(0);
    onTestFinished(() => void spawnSync("umount", [disk]));
    writeFileSync(join(disk, "other"), Buffer.alloc(900 * 1_024));
    const runs = join(disk, "runs");
    mkdirSync(runs);
    const mine = { ...env, HOME: tempFolder() };
    const flags = ["--log-dir", runs];
    const told = judge(
      await runCli([...RUN, ...flags], { cwd, env: mine }),
      cwd,
      /no space left on the disk \(ENOSPC\)/,
    );
    rmSync(join(disk, "other"));
    await goesOn({ cwd, env: mine, runs, told, flags });
  },
);

/** What the run said to be on disk is there, and is enough to go on with. */
async function goesOn(run: {
  cwd: string;
  env: Record<string, string>;
  runs: string;
  told: number;
  flags: string[];
}): Promise<void> {
  const { cwd, env, runs, told, flags } = run;
  expect(told).toBeGreaterThan(20);
  expect(wholeEvents(logOf(runs))).toBe(told);
  const sandbox = ["--sandbox", "workspace-write"];
  const outcome = await runCli(["run", "-c", ...sandbox, ...flags], { cwd, env });
  expect(outcome).toMatchObject({ code: 0, stdout: "done\n" });
  expect(await runCli(["log", "verify", join(logOf(runs), "..")], { cwd })).toMatchObject({ code: 0 });
}

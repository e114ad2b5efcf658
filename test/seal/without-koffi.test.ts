import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { text, toolUse } from "../../src/testing.ts";
import { withoutKoffi } from "../support/without-koffi.ts";
import { cliEnv, loggedEvents, scriptedModel, tempFolder } from "../cli/cli-process.ts";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";

const PROJECT = fileURLToPath(new URL("../../", import.meta.url));
const SCRIPT = [toolUse("read_file", { path: "a.txt" }), text("done")];

async function run(flags: string[]) {
  const { env, double } = await scriptedModel(SCRIPT);
  const cwd = tempFolder({ "a.txt": "alpha\n" });
  const args = [withoutKoffi(), "run", "--goal", "go", ...flags];
  const child = spawn(process.execPath, args, { cwd, env: cliEnv(env), stdio: ["ignore", "pipe", "pipe"] });
  const seen = { stdout: "", stderr: "" };
  child.stdout.setEncoding("utf8").on("data", (part: string) => (seen.stdout += part));
  child.stderr.setEncoding("utf8").on("data", (part: string) => (seen.stderr += part));
  const [code] = (await once(child, "close")) as [number];
  return { code, ...seen, double, events: loggedEvents(join(cwd, ".ruizn", "runs")) };
}

test("--require-seal where there is no seal: code 44, the reason, and nothing was sent", async () => {
  const { code, stdout, stderr, double, events } = await run(["--require-seal"]);
  expect({ code, stdout, requests: double.requests.length }).toEqual({ code: 44, stdout: "", requests: 0 });
  expect(stderr).toMatch(
    /^error: the kernel seal is required but unavailable: koffi cannot be loaded: .*\nhint: `ruizn doctor` /m,
  );
  expect(events.map(({ type }) => type)).toEqual(["run.started", "run.finished"]);
});

test("--ci requires it too", async () => {
  expect(await run(["--ci"])).toMatchObject({ code: 44, stdout: "" });
});

test("without it the run goes on with the guards, and says so in the log", async () => {
  const { code, stdout, double, events } = await run([]);
  expect({ code, stdout }).toEqual({ code: 0, stdout: "done\n" });
  expect(events[0]).toMatchObject({
    type: "run.started",
    isolation: "thread",
    seal: { state: "unavailable", escaped: [] },
  });
  const finished = events.find(({ type }) => type === "tool_call.finished");
  expect(finished).toMatchObject({ isolation: "thread", seal: "unavailable", error_type: null });
  expect(JSON.stringify(double.requests[1]?.body.messages)).toContain("alpha");
});

test.each([
  ["a file outside", "readFileSync('/etc/hostname')"],
  ["a file beside the workspace, written", "writeFileSync('../beside', 'x')"],
  ["a program", "execSync('id')"],
])("a tool of one's own is then held by Node's permission model: %s", async (_, act) => {
  const cwd = tempFolder();
  writeFileSync(
    join(cwd, "t.mjs"),
    `import { readFileSync, writeFileSync } from "node:fs"; import { execSync } from "node:child_process";
     export default { name: "t", description: "Tries.", inputSchema: { type: "object" }, invoke: () => String(${act}) };`,
  );
  const args = [withoutKoffi(), "tools", "call", "t", "{}", "--tool", "t.mjs", "--json"];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd, env: cliEnv(), encoding: "utf8" });
  expect(status).toBe(54);
  expect(JSON.parse(stdout)).toMatchObject({
    error_type: "runtime_error",
    isolation: "process",
    seal: "unavailable",
    content: [{ text: expect.stringContaining("Access to this API has been restricted") }],
  });
});

test("the installed package has koffi as an optional dependency alone", () => {
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(PROJECT, "package.json"), "utf8"),
  ) as Record<string, Record<string, string>>;
  expect([dependencies?.["koffi"], optionalDependencies?.["koffi"]]).toEqual([undefined, expect.any(String)]);
});

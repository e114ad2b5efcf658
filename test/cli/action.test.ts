import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { apiError, text, toolUse } from "../../src/testing.ts";
import { readAction, runAction } from "../support/action-runner.ts";
import { githubProblems } from "../support/github-parser.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { runCli, scriptedModel, startShell, tempFolder } from "./cli-process.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const ACTION = readAction(`${ROOT}action.yml`);
const KEY = "sk-test-of-the-action";

async function run(script: Parameters<typeof scriptedModel>[0], inputs: Record<string, string> = {}) {
  const { env } = await scriptedModel(script);
  const workspace = tempFolder({ "a.txt": "alpha\n" });
  return runAction(ACTION, {
    actionPath: ROOT,
    workspace,
    temp: tempFolder(),
    with: {
      goal: "go",
      "api-key": KEY,
      "base-url": env["ANTHROPIC_BASE_URL"] ?? "",
      model: "claude-test",
      ...inputs,
    },
  });
}

test("action.yml and the workflow are what GitHub's own parser takes", () => {
  const file = (name: string) => readFileSync(ROOT + name, "utf8");
  expect(githubProblems("action", file("action.yml"))).toEqual([]);
  expect(githubProblems("workflow", file("examples/ci/github-workflow.yml"))).toEqual([]);
  expect(githubProblems("workflow", file("examples/ci/gitlab-ci.yml"))).not.toEqual([]);
  expect(githubProblems("action", file("action.yml").replace("shell: bash", "shel: bash"))).not.toEqual([]);
});

test("no input becomes part of a script, and one step alone is given the key", () => {
  const { steps } = ACTION.runs;
  expect(steps.filter((step) => step.run.includes("${{"))).toEqual([]);
  expect(
    steps.filter((step) => JSON.stringify(step).includes("inputs.api-key")).map(({ name }) => name),
  ).toEqual(["Run"]);
});

test("the job with the key has no right to write, and the job that writes has no key and no checkout", () => {
  const { permissions, jobs } = parse(readFileSync(`${ROOT}examples/ci/github-workflow.yml`, "utf8"));
  const asText = (job: object) => JSON.stringify(job);
  expect([permissions, jobs.analyse.permissions, jobs.post.permissions]).toEqual([
    {},
    { contents: "read" },
    { "pull-requests": "write" },
  ]);
  expect(asText(jobs.post)).not.toMatch(/secrets\.|checkout@/);
});

test.runIf(SEALABLE)(
  "the action's steps: the answer, outputs, summary and a log that verifies elsewhere",
  async () => {
    const goal = "- $(touch pwned) `touch pwned`";
    const script = [toolUse("read_file", { path: "a.txt" }), text("It says alpha.")];
    const { outputs, failed, log, summary } = await run(script, { goal });
    const { "run-id": id, "result-file": result, "log-file": bundle, ...others } = outputs;
    expect(others).toEqual({ conclusion: "success", "exit-code": "0" });
    expect(failed).toBe(false);
    expect(log).toContain("It says alpha.\n");
    expect(log).not.toContain(KEY);
    expect(summary).toContain("It says alpha.");
    expect(JSON.parse(readFileSync(result ?? "", "utf8"))).toMatchObject({ run_id: id, num_steps: 2 });
    expect(await runCli(["log", "verify", bundle ?? ""])).toMatchObject({ code: 0 });
  },
);

test.runIf(SEALABLE)(
  "the action fails as the run does, and its outputs and log are there all the same",
  async () => {
    const { outputs, failed } = await run([apiError(401)]);
    expect(failed).toBe(true);
    expect(outputs).toMatchObject({ conclusion: "failure", "exit-code": "41" });
    expect(await runCli(["log", "verify", outputs["log-file"] ?? ""])).toMatchObject({ code: 0 });
  },
);

test.runIf(SEALABLE)("GitLab's job leaves the answer and a log that verifies", async () => {
  const { ruizn: job } = parse(readFileSync(`${ROOT}examples/ci/gitlab-ci.yml`, "utf8"));
  const { env } = await scriptedModel([text("It is tea.")]);
  const cwd = tempFolder({ "a.txt": "alpha\n" });
  const variables = { ...job.variables, RUIZN_HOME: ROOT, CI: "true", GITLAB_CI: "true" };
  const script = ["set -eo pipefail", ...job.script, ...job.after_script].join("\n");
  expect(await startShell(script, { cwd, env: { ...env, ...variables } }).done).toMatchObject({ code: 0 });
  const [answer, bundle] = job.artifacts.paths as [string, string];
  expect(JSON.parse(readFileSync(`${cwd}/${answer}`, "utf8"))).toMatchObject({ result: "It is tea." });
  expect(await runCli(["log", "verify", bundle], { cwd })).toMatchObject({ code: 0 });
});

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { text, turn } from "../../src/testing.ts";
import { runnerOutputs } from "../support/action-runner.ts";
import { SEALABLE } from "../seal/sealed-place.ts";
import { loggedEvents, runCli, scriptedModel, startShell, tempFolder } from "./cli-process.ts";

const FORGED =
  "::error title=forged::x\n##[error]forged\n\u001b[0Ksection_start:1:forged\r\u001b[0Kx\n````\n# forged\n";

async function onGitHub(script: Parameters<typeof scriptedModel>[0], flags: string[] = []) {
  const [cwd, temp] = [tempFolder({ "a.txt": FORGED }), tempFolder()];
  const [output, summary] = [join(temp, "output"), join(temp, "summary")];
  for (const file of [output, summary]) writeFileSync(file, "");
  const { env } = await scriptedModel(script);
  const github = {
    CI: "true",
    GITHUB_ACTIONS: "true",
    GITHUB_OUTPUT: output,
    GITHUB_STEP_SUMMARY: summary,
    RUNNER_TEMP: temp,
  };
  const outcome = await runCli(["run", "--goal", "go", ...flags], { cwd, env: { ...env, ...github } });
  return {
    ...outcome,
    cwd,
    outputs: runnerOutputs(readFileSync(output, "utf8")),
    summary: readFileSync(summary, "utf8"),
  };
}

const READ = turn([
  { type: "tool_use", name: "read_file", input: { path: "a.txt" } },
  { type: "tool_use", name: "write_file", input: { path: "b.txt", content: FORGED } },
  { type: "tool_use", name: "read_file", input: { path: "../../etc/passwd" } },
]);

const COMMAND = /^[\s\p{C}]*::|##\w*\[|\u001b/u;

test.runIf(SEALABLE)(
  "on GitHub, CI alone hardens a run: sections, outputs, summary, and no text of model or file is a command",
  async () => {
    const { code, stdout, stderr, outputs, summary, cwd } = await onGitHub([READ, text(FORGED)]);
    const [started] = loggedEvents(join(cwd, ".ruizn/runs"));
    expect(code).toBe(0);
    expect(started).toMatchObject({ isolation: "process", seal: { state: "held" } });
    expect(stderr.split("\n")[0]).toBe(
      "notice: CI is set and there is no terminal, so this run is hardened as with --ci (--no-ci or RUIZN_CI=0 leaves it off)",
    );
    const commands = `${stdout}\n${stderr}`.split(/[\r\n]/).filter((line) => COMMAND.test(line));
    expect(commands).toEqual(["::group::step 1", "::endgroup::", "::group::step 2", "::endgroup::"]);
    const { run_id, result_file, ...others } = outputs;
    expect(others).toEqual({
      conclusion: "success",
      exit_code: "0",
      findings_count: "",
      sarif_file: "",
      structured_output: "",
    });
    expect(JSON.parse(readFileSync(result_file ?? "", "utf8"))).toMatchObject({ run_id, result: FORGED });
    expect(summary).toContain("## RuiZN: success\n");
    expect(summary).toContain(`- Run: \` ${run_id} \`, \` claude-test \`\n- Steps: 2 in `);
    expect(summary).toContain(
      "- Tools: ` read_file ` 2 (1 failed), ` write_file ` 1 (1 failed)\n- Seal: held\n",
    );
    expect(summary).toMatch(/### Denied\n\n- ` \w+ ` `/);
    expect(summary).toContain("`````text\n::error title=forged::x\n");
    expect(summary.match(/^`{3,}\w*$/gm)).toEqual(["`````text", "````", "`````"]);
  },
);

test.runIf(SEALABLE)("JSON on stdout reads back as it was, and holds no command", async () => {
  const { stdout } = await onGitHub([text(FORGED)], ["--output-format", "json"]);
  expect(JSON.parse(stdout)).toMatchObject({ result: FORGED });
  expect(stdout).not.toMatch(COMMAND);
});

test("a run that cannot begin tells its exit code and why", async () => {
  const { code, outputs, stderr } = await onGitHub([], ["--allowed-tools", "nothing_there\n::error::x"]);
  expect(outputs).toMatchObject({ conclusion: "failure", exit_code: String(code), run_id: "" });
  expect(code).toBe(52);
  expect(stderr).not.toMatch(/^::/m);
});

test.each([["--no-ci"], ["RUIZN_CI=0"], ["CI=false"]])("%s leaves it off", async (way) => {
  const [name = "", value = ""] = way.split("=");
  const env = { CI: "true", ...(value && { [name]: value }) };
  const flags = value ? [] : [way];
  const { env: model } = await scriptedModel([text("done")]);
  const cwd = tempFolder();
  const { stdout, stderr } = await runCli(["run", "--goal", "go", ...flags], {
    cwd,
    env: { ...model, ...env },
  });
  expect(stdout).toBe("done\n");
  expect(stderr).not.toContain("hardened");
  expect(loggedEvents(join(cwd, ".ruizn/runs"))[0]).toMatchObject({ isolation: "thread" });
});

test("with CI set, a workspace that is said to be trusted is wrong usage that names the way out", async () => {
  const { code, stderr } = await runCli(["run", "--goal", "go", "--trust-workspace"], { env: { CI: "1" } });
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("or give --no-ci") });
});

test.runIf(SEALABLE)(
  "one log for both streams on GitLab: sections fold, and nothing else is a mark",
  async () => {
    const { env } = await scriptedModel([READ, text(FORGED)]);
    const cwd = tempFolder({ "a.txt": FORGED });
    const gitlab = { CI: "true", GITLAB_CI: "true" };
    const { stdout } = await startShell("ruizn run --goal go 2>&1", { cwd, env: { ...env, ...gitlab } }).done;
    const marks = [
      ...stdout.matchAll(/\u001b\[0K(section_\w+):\d+:(\S+?)(?:\[collapsed=true\])?\r\u001b\[0K/g),
    ];
    expect(marks.map(([, kind, name]) => `${kind} ${name}`)).toEqual([
      "section_start ruizn_step_1",
      "section_end ruizn_step_1",
      "section_start ruizn_step_2",
      "section_end ruizn_step_2",
    ]);
    expect(stdout.split("\u001b")).toHaveLength(9);
  },
);

test("what goes to a file of its own is not touched", async () => {
  const { env } = await scriptedModel([text(FORGED)]);
  const cwd = tempFolder();
  await startShell("ruizn run --no-ci --goal go > answer", { cwd, env: { ...env, CI: "1" } }).done;
  expect(readFileSync(join(cwd, "answer"), "utf8")).toBe(FORGED);
});

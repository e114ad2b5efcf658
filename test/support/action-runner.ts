import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parse } from "yaml";

export interface ActionStep {
  name: string;
  id?: string;
  if?: string;
  shell: string;
  "working-directory"?: string;
  env?: Record<string, string>;
  run: string;
}

export interface Action {
  inputs: Record<string, { default?: string; required?: boolean }>;
  outputs: Record<string, { value: string }>;
  runs: { using: string; steps: ActionStep[] };
}

export interface ActionRun {
  outputs: Record<string, string>;
  log: string;
  summary: string;
  failed: boolean;
}

export function readAction(path: string): Action {
  return parse(readFileSync(path, "utf8")) as Action;
}

/** What is in an output file, as GitHub's runner reads it. */
export function runnerOutputs(text: string): Record<string, string> {
  const outputs: Record<string, string> = {};
  const lines = text.split("\n");
  for (let line = lines.shift(); line; line = lines.shift()) {
    const [, plain, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
    const [, name = "", end = ""] = /^([^=<]+)<<(.+)$/.exec(line) ?? [];
    if (plain !== undefined) outputs[plain] = value ?? "";
    else
      outputs[name] = lines
        .splice(0, lines.indexOf(end) + 1)
        .slice(0, -1)
        .join("\n");
  }
  return outputs;
}

/**
 * Runs the steps of a composite action as GitHub's runner does: each script from a file by its shell's command line, in
 * its folder, with its environment and files of its own for outputs and summary; a step after a failed one runs only
 * when its condition says always().
 */
export async function runAction(
  action: Action,
  at: { actionPath: string; workspace: string; temp: string; with: Record<string, string> },
): Promise<ActionRun> {
  const values = new Map<string, string>([["github.action_path", at.actionPath]]);
  for (const [name, { default: preset = "" }] of Object.entries(action.inputs))
    values.set(`inputs.${name}`, at.with[name] ?? preset);
  const filled = (text: string) =>
    text.replace(/\$\{\{\s*(\S+)\s*\}\}/g, (_, name: string) => values.get(name) ?? "");
  const run: ActionRun = { outputs: {}, log: "", summary: "", failed: false };
  for (const [index, step] of action.runs.steps.entries()) {
    if (!isDue(step.if, run.failed, values)) continue;
    const files = filesOf(at.temp, index, step.run);
    const env = Object.fromEntries(
      Object.entries(step.env ?? {}).map(([name, text]) => [name, filled(text)]),
    );
    const child = spawn("bash", ["--noprofile", "--norc", "-e", "-o", "pipefail", files.script], {
      cwd: resolve(at.workspace, filled(step["working-directory"] ?? ".")),
      env: {
        ...machine(),
        RUNNER_TEMP: at.temp,
        GITHUB_OUTPUT: files.output,
        GITHUB_STEP_SUMMARY: files.summary,
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (text: Buffer) => (run.log += text.toString()));
    const [code] = (await once(child, "close")) as [number | null];
    run.failed ||= code !== 0;
    run.summary += readFileSync(files.summary, "utf8");
    for (const [name, value] of Object.entries(runnerOutputs(readFileSync(files.output, "utf8"))))
      values.set(`steps.${step.id}.outputs.${name}`, value);
  }
  for (const [name, { value }] of Object.entries(action.outputs)) run.outputs[name] = filled(value);
  return run;
}

/** The two forms of condition that our action has. */
function isDue(condition: string | undefined, failed: boolean, values: Map<string, string>): boolean {
  if (condition === undefined) return !failed;
  const [, name = ""] = /^always\(\) && (\S+) != ''$/.exec(condition) ?? [];
  if (name === "") throw new Error(`unknown condition: ${condition}`);
  return (values.get(name) ?? "") !== "";
}

function filesOf(temp: string, index: number, script: string) {
  const [path, output, summary] = ["script.sh", "output", "summary"].map((name) =>
    join(temp, `${index}-${name}`),
  ) as [string, string, string];
  writeFileSync(path, script);
  writeFileSync(output, "");
  writeFileSync(summary, "");
  return { script: path, output, summary };
}

function machine(): Record<string, string> {
  const { PATH = "", TMPDIR = "/tmp" } = process.env;
  return { PATH, TMPDIR, HOME: "/nonexistent", CI: "true", GITHUB_ACTIONS: "true" };
}

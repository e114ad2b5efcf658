import { expect, test } from "vitest";
import { EXIT } from "../../src/cli/exit-codes.ts";
import { apiError, type Script, text, toolUse } from "../../src/testing.ts";
import { withoutKoffi } from "../support/without-koffi.ts";
import {
  type CliOutcome,
  runCli,
  scriptedModel,
  startCli,
  startShell,
  tempFolder,
  until,
} from "./cli-process.ts";

const READ = toolUse("read_file", { path: "a.txt" });

interface Way {
  flags?: string[];
  script?: Script;
  signal?: NodeJS.Signals;
  args?: string[];
}

/** One way to each row of the table that docs/cli.md has of exit codes. */
const WAYS: Record<keyof typeof EXIT, Way> = {
  success: {},
  failure: { script: [apiError(400)] },
  usage: { flags: ["--no-such-flag"] },
  authentication: { script: [apiError(401)] },
  badInput: { flags: ["--cwd", "nowhere"] },
  // Run from an installation without koffi, which has no seal on any machine.
  sealUnavailable: {},
  settingsInvalid: { flags: ["--allowed-tools", "no_such_tool"] },
  stepLimit: { flags: ["--max-steps", "1"], script: [READ, text("done")] },
  toolFailed: { args: ["tools", "call", "read_file", '{"path":"missing"}'] },
  workspaceUntrusted: { flags: ["--continue"] },
  permissionDenied: {
    flags: ["--fail-on", "denied", "--disallowed-tools", "read_file(a.txt)"],
    script: [READ, text("done")],
  },
  budgetExhausted: { flags: ["--max-total-tokens", "10"], script: [READ, text("done")] },
  refusal: { script: [text("no", { stopReason: "refusal" })] },
  contextExhausted: { script: Array.from({ length: 6 }, () => text("more ", { stopReason: "max_tokens" })) },
  logUnwritable: { flags: ["--log-dir", "a.txt"] },
  canarySeen: { flags: ["--canary", "alpha-canary"], script: [READ, text("done")] },
  findings: {
    args: ["review", "--fail-on", "low", "b.js"],
    script: [toolUse("read_file", { path: "b.js" }), text("done")],
  },
  // The model reads nothing.
  reviewIncomplete: { args: ["review", "b.js"] },
  timeout: { flags: ["--timeout", "500ms"], script: [text("word ".repeat(1000), { eventDelayMs: 50 })] },
  sighup: { signal: "SIGHUP" },
  sigint: { signal: "SIGINT" },
  sigterm: { signal: "SIGTERM" },
};

async function go(
  name: string,
  { flags = [], script = [text("done")], signal, args }: Way,
): Promise<CliOutcome> {
  const cwd = tempFolder({ "a.txt": "alpha-canary\n", "b.js": "eval(input);\n" });
  const { env } = await scriptedModel(signal ? [text("word ".repeat(20_000), { eventDelayMs: 20 })] : script);
  const home = { HOME: tempFolder() };
  if (name === "workspaceUntrusted") await runCli(["run", "--goal", "go"], { cwd, env: { ...env, ...home } });
  const options = { cwd, env: { ...env, HOME: tempFolder() } };
  if (name === "sealUnavailable")
    return startShell(`"$NODE" "${withoutKoffi()}" run --goal go --require-seal`, options).done;
  if (!signal) return runCli(args ?? ["run", "--goal", "go", ...flags], options);
  const run = startCli(["run", "--goal", "go", "--verbose"], options);
  await until(run, () => run.seen.stderr.includes("[llm] request"));
  run.child.kill(signal);
  return run.done;
}

test.each(Object.entries(WAYS))("the command ends with the code of %s", async (name, way) => {
  const { code, stderr } = await go(name, way);
  expect({ code, stderr }).toEqual({ code: EXIT[name as keyof typeof EXIT], stderr });
});

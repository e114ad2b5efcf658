import { expect, test } from "vitest";
import { COMMANDS } from "../../src/cli/commands.ts";
import { commandHelp, rootHelp } from "../../src/cli/help-text.ts";
import { parseCommandLine } from "../../src/cli/program.ts";
import { SETTINGS } from "../../src/cli/settings-table.ts";
import type { RuiZNError } from "../../src/errors.ts";

function parsed(...argv: string[]) {
  const outcome = parseCommandLine(argv);
  if (outcome.kind === "help") throw new Error("help");
  const { spec, args, flags, oneOff } = outcome.command;
  const given = Object.entries(oneOff).filter(([, value]) => value !== undefined);
  return { name: spec.name, args, flags, oneOff: Object.fromEntries(given) };
}

function refused(...argv: string[]) {
  try {
    parseCommandLine(argv);
  } catch (error) {
    const { code, message, hint } = error as RuiZNError;
    return { code, message, hint };
  }
  throw new Error("not refused");
}

test("flags, short flags, aliases and arguments", () => {
  expect(
    parsed(
      "run",
      "-p",
      "do it",
      "-C",
      "dir",
      "-o",
      "out.txt",
      "-q",
      "--max-turns",
      "5",
      "--no-log",
      "--color=never",
    ),
  ).toEqual({
    name: "run",
    args: [undefined],
    flags: { quiet: "true", max_steps: "5", log: "false", color: "never" },
    oneOff: { goal: "do it", cwd: "dir", "output-last-message": "out.txt" },
  });
  expect(parsed("run", "-")).toMatchObject({ args: ["-"], flags: {}, oneOff: {} });
  expect(parsed("run", "--goal", "- one\n- two")).toMatchObject({ oneOff: { goal: "- one\n- two" } });
  expect(parsed("run", "--", "--not-a-flag")).toMatchObject({ args: ["--not-a-flag"] });
  expect(parsed("tools", "call", "grep", "{}")).toMatchObject({ name: "tools call", args: ["grep", "{}"] });
});

test("a list flag may be given several times", () => {
  expect(parsed("run", "x", "--allowed-tools", "a,b", "--allowed-tools", "c").flags).toEqual({
    allowed_tools: "a,b,c",
  });
});

test("wrong usage is refused with a way out", () => {
  expect(refused("run", "--gaol", "x")).toEqual({
    code: "usage_invalid",
    message: "unknown option '--gaol'",
    hint: "Did you mean --goal?",
  });
  expect(refused("rnu")).toMatchObject({ message: "unknown command 'rnu'", hint: "Did you mean run?" });
  expect(refused("read the README")).toMatchObject({ hint: 'a goal is given as: ruizn run --goal "…"' });
  expect(refused("run", "--goal")).toMatchObject({ code: "usage_invalid" });
  expect(refused("run", "one", "two")).toMatchObject({ code: "usage_invalid" });
  expect(refused("tools")).toEqual({
    code: "usage_invalid",
    message: "a command is missing",
    hint: "see ruizn tools --help",
  });
  expect(refused("tools", "show")).toMatchObject({ message: "missing required argument 'name'" });
});

test("help is the same text wherever it is asked for", () => {
  const run = COMMANDS.find(({ name }) => name === "run");
  expect(parseCommandLine(["run", "--help"])).toEqual({ kind: "help", text: run && commandHelp(run) });
  expect(parseCommandLine(["run", "--goal", "x", "-h"])).toEqual({
    kind: "help",
    text: run && commandHelp(run),
  });
  expect(parseCommandLine(["--help"])).toEqual({ kind: "help", text: rootHelp() });
  expect(parseCommandLine(["tools", "--help"])).toMatchObject({
    text: expect.stringContaining("tools call <name>"),
  });
});

test("every setting is a flag of run and stands in its help", () => {
  const run = COMMANDS.find(({ name }) => name === "run");
  const help = run ? commandHelp(run) : "";
  for (const { flag, aliases = [] } of Object.values(SETTINGS)) {
    for (const name of [flag, ...aliases]) expect(help).toContain(`--${name}`);
  }
});

test("no flag and no variable stands for two things", () => {
  const settings = Object.values(SETTINGS);
  const run = COMMANDS.find(({ name }) => name === "run");
  const flags = [
    ...settings.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]),
    ...(run?.oneOff ?? []).map(({ flag }) => flag),
  ];
  expect(new Set(flags).size).toBe(flags.length);
  const variables = settings.flatMap(({ env }) => env);
  expect(new Set(variables).size).toBe(variables.length);
});

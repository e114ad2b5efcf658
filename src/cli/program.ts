import { Command, CommanderError, Option } from "commander";
import { RuiZNError } from "../errors.ts";
import { COMMANDS, type CommandSpec } from "./commands.ts";
import { commandHelp, groupHelp, rootHelp } from "./help-text.ts";
import type { FlagValues } from "./options.ts";
import { type SettingKey, SETTINGS } from "./settings-table.ts";

export interface ParsedCommand {
  spec: CommandSpec;
  args: (string | undefined)[];
  flags: FlagValues;
  /** One-off flags by long name; a switch is `"true"`. */
  oneOff: Readonly<Record<string, string | undefined>>;
}

export type Parsed = { kind: "command"; command: ParsedCommand } | { kind: "help"; text: string };

/**
 * Reads the command line.
 * @throws RuiZNError usage_invalid
 */
export function parseCommandLine(argv: readonly string[]): Parsed {
  const outcome: { parsed?: Parsed } = {};
  const root = bare(new Command("ruizn"), rootHelp());
  for (const spec of COMMANDS)
    addCommand(root, spec, (command) => (outcome.parsed = { kind: "command", command }));
  try {
    root.parse(argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === "commander.helpDisplayed") return { kind: "help", text: helpFor(argv) };
    throw usageError(error, argv);
  }
  return outcome.parsed ?? { kind: "help", text: rootHelp() };
}

/** A command that neither prints nor exits by itself. */
function bare(command: Command, help: string): Command {
  command.helpInformation = () => help;
  return command
    .exitOverride()
    .helpCommand(false)
    .configureOutput({ writeOut: () => undefined, writeErr: () => undefined, outputError: () => undefined });
}

function addCommand(root: Command, spec: CommandSpec, then: (parsed: ParsedCommand) => void): void {
  const words = spec.name.split(" ");
  const last = words.pop() ?? "";
  const parent = words.reduce((above, word) => childNamed(above, word), root);
  const command = bare(parent.command(`${last} ${spec.arguments}`.trim()), commandHelp(spec));
  for (const { flag, short, placeholder } of spec.oneOff) {
    command.addOption(new Option(flagText({ flag, short, placeholder })));
  }
  for (const key of spec.settings) addSetting(command, key);
  command.action((...all: unknown[]) => {
    // An argument that may be given several times is a list of its own.
    const args = all.slice(0, -2).flat() as (string | undefined)[];
    then({ spec, args, ...valuesOf(command, spec) });
  });
}

function childNamed(parent: Command, word: string): Command {
  const known = parent.commands.find((command) => command.name() === word);
  return known ?? bare(parent.command(word), groupHelp(word));
}

function addSetting(command: Command, key: SettingKey): void {
  const { flag, short, off, aliases = [], kind } = SETTINGS[key];
  const placeholder = kind.type === "flag" ? undefined : "VALUE";
  const option = new Option(flagText({ flag, short, placeholder }));
  if (kind.type === "list")
    option.argParser((value: string, before?: string) => (before ? `${before},${value}` : value));
  command.addOption(option);
  if (off !== undefined) command.addOption(new Option(`--${off}`));
  for (const alias of aliases)
    command.addOption(new Option(flagText({ flag: alias, short: undefined, placeholder })));
}

function flagText(names: {
  flag: string;
  short: string | undefined;
  placeholder: string | undefined;
}): string {
  const { flag, short, placeholder } = names;
  return `${short ? `-${short}, ` : ""}--${flag}${placeholder ? ` <${placeholder}>` : ""}`;
}

function valuesOf(command: Command, spec: CommandSpec): Pick<ParsedCommand, "flags" | "oneOff"> {
  const typed = (flag: string): string | undefined => {
    const name = new Option(`--${flag}`).attributeName();
    return command.getOptionValueSource(name) === "cli" ? String(command.getOptionValue(name)) : undefined;
  };
  const flags: FlagValues = {};
  for (const key of spec.settings) {
    const { flag, aliases = [] } = SETTINGS[key];
    const value = [flag, ...aliases].map(typed).find((text) => text !== undefined);
    if (value !== undefined) flags[key] = value;
  }
  return { flags, oneOff: Object.fromEntries(spec.oneOff.map(({ flag }) => [flag, typed(flag)])) };
}

/** Help was asked for somewhere among the words: the longest command they begin with is meant. */
function helpFor(argv: readonly string[]): string {
  const words = argv.filter((word) => !word.startsWith("-"));
  const spec = COMMANDS.find(({ name }) => words.join(" ").concat(" ").startsWith(`${name} `));
  if (spec) return commandHelp(spec);
  const group = words[0];
  return group && COMMANDS.some(({ name }) => name.startsWith(`${group} `)) ? groupHelp(group) : rootHelp();
}

function usageError(error: CommanderError, argv: readonly string[]): RuiZNError {
  const [first = "", second] = error.message.replace(/^error: /, "").split("\n");
  const suggestion = second?.replace(/^\(|\)$/g, "");
  if (error.code === "commander.help") {
    return new RuiZNError("usage_invalid", "a command is missing", {
      hint: `see ruizn ${[...argv, "--help"].join(" ")}`,
    });
  }
  const hint =
    suggestion ?? (first.includes("command") ? 'a goal is given as: ruizn run --goal "…"' : undefined);
  return new RuiZNError("usage_invalid", first, { hint: hint ?? "see ruizn --help" });
}

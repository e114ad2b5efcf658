import { COMMANDS, type CommandSpec, type OneOffFlag } from "./commands.ts";
import { type SettingKey, type SettingSpec, SETTINGS } from "./settings-table.ts";

const EXIT_NOTE = "Exit codes, settings and variables: docs/cli.md and docs/settings.md.";

/** `ruizn --help`. */
export function rootHelp(): string {
  const rows = COMMANDS.map((command): Row => [usage(command), command.summary]);
  return [
    "Usage: ruizn COMMAND [options]",
    "",
    ...examples(COMMANDS.find(({ name }) => name === "run")),
    "",
    "Commands:",
    ...table(rows),
    "",
    "Options:",
    ...table([
      ["-h, --help", "help, also of a command: ruizn run --help"],
      ["-V, --version", "the version"],
    ]),
    "",
    "With ANTHROPIC_API_KEY (or ANTHROPIC_BASE_URL) the model is asked; with none, the offline planner.",
    EXIT_NOTE,
    "",
  ].join("\n");
}

/** `ruizn COMMAND --help`. */
export function commandHelp(command: CommandSpec): string {
  const rows = [...command.oneOff.map(oneOffRow), ...command.settings.map(settingRow)];
  return [
    `Usage: ruizn ${usage(command)} [options]`,
    "",
    `${command.summary[0]?.toUpperCase()}${command.summary.slice(1)}.`,
    "",
    ...examples(command),
    "",
    "Options:",
    ...table([...rows, ["-h, --help", "this help"]]),
    "",
    EXIT_NOTE,
    "",
  ].join("\n");
}

/** Help of the commands that begin with a word, for `ruizn tools --help`. */
export function groupHelp(word: string): string {
  const rows = COMMANDS.filter(({ name }) => name.startsWith(`${word} `)).map(
    (command): Row => [usage(command), command.summary],
  );
  return [`Usage: ruizn ${word} COMMAND [options]`, "", "Commands:", ...table(rows), ""].join("\n");
}

type Row = [left: string, right: string];

function usage({ name, arguments: args }: CommandSpec): string {
  return args === "" ? name : `${name} ${args}`;
}

function examples(command: CommandSpec | undefined): string[] {
  return ["Examples:", ...(command?.examples ?? []).map((line) => `  ${line}`)];
}

function oneOffRow({ flag, short, placeholder, summary }: OneOffFlag): Row {
  return [`${short ? `-${short}, ` : "    "}--${flag}${placeholder ? ` ${placeholder}` : ""}`, summary];
}

function settingRow(key: SettingKey): Row {
  const spec: SettingSpec = SETTINGS[key];
  const names = [spec.flag, ...(spec.off ? [spec.off] : []), ...(spec.aliases ?? [])]
    .map((name) => `--${name}`)
    .join(", ");
  const value = valueShown(spec);
  return [`${spec.short ? `-${spec.short}, ` : "    "}${names}${value && ` ${value}`}`, spec.summary];
}

function valueShown({ kind, placeholder = "" }: SettingSpec): string {
  if (kind.type !== "choice") return placeholder;
  return [...kind.of, ...(kind.orCount ? ["N"] : [])].join("|");
}

const LEFT_MAX_CHARS = 34;

function table(rows: Row[]): string[] {
  const width = Math.min(LEFT_MAX_CHARS, Math.max(...rows.map(([left]) => left.length)));
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${" ".repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`],
  );
}

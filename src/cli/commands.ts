import { reviewCommands } from "./review-rows.ts";
import { type SettingKey, SETTINGS } from "./settings-table.ts";

/** A flag that belongs to one invocation: it has no variable and no settings key. */
export interface OneOffFlag {
  flag: string;
  short?: string;
  /** Undefined for a switch. */
  placeholder?: string;
  summary: string;
}

export interface CommandSpec {
  /** Words of the command line: `tools call`. */
  name: string;
  /** As commander writes them: `<name>`, `[input]`. */
  arguments: string;
  summary: string;
  oneOff: readonly OneOffFlag[];
  settings: readonly SettingKey[];
  examples: readonly string[];
}

const CWD: OneOffFlag = {
  flag: "cwd",
  short: "C",
  placeholder: "DIR",
  summary: "the workspace (the current directory)",
};
const SETTINGS_FILE: OneOffFlag = {
  flag: "settings",
  placeholder: "FILE",
  summary: "settings that stand above the user's and the project's (RUIZN_SETTINGS)",
};
const TRUST: OneOffFlag = {
  flag: "trust-workspace",
  summary: "read .ruizn/settings.json of the workspace (RUIZN_TRUST_WORKSPACE)",
};
const JSON_SWITCH: OneOffFlag = { flag: "json", summary: "as JSON" };
const RUN_PLACE: readonly OneOffFlag[] = [CWD, SETTINGS_FILE, TRUST];
const EVERYWHERE: readonly SettingKey[] = ["color", "debug"];
const CALLS: readonly SettingKey[] = [
  "tools",
  "allowed_tools",
  "disallowed_tools",
  "permission_mode",
  "sandbox",
  "require_seal",
  "ci",
  "isolation",
  "tool_timeout",
  "canary",
  "log",
  "log_dir",
  "fsync",
];

export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    arguments: "[goal]",
    summary: "work towards a goal with tools",
    oneOff: [
      { flag: "goal", short: "p", placeholder: "TEXT", summary: "what to do; `-` reads it from stdin" },
      { flag: "stdin", summary: "read stdin: the goal, or text that belongs to the goal given" },
      {
        flag: "resume",
        short: "r",
        placeholder: "RUN_ID",
        summary: "go on with a run that broke off or ended",
      },
      { flag: "continue", short: "c", summary: "go on with the workspace's latest run" },
      {
        flag: "resume-writes",
        placeholder: "ask|repeat|skip",
        summary: "calls that were under way and may have written (ask; without a terminal: skip)",
      },
      { flag: "allow-changed-tools", summary: "go on with other tools than the run was begun with" },
      {
        flag: "output-last-message",
        short: "o",
        placeholder: "FILE",
        summary: "also write the answer to a file",
      },
      CWD,
      SETTINGS_FILE,
      TRUST,
    ],
    settings: Object.keys(SETTINGS) as SettingKey[],
    examples: [
      'ruizn run --goal "Read README.md and tell me what it is about"',
      "git diff | ruizn run --goal 'Review this change' --stdin",
      'ruizn run --goal "List the tests" --output-format json | jq -r .result',
      'ruizn run --continue --goal "Now the same in German"',
    ],
  },
  ...reviewCommands(RUN_PLACE, EVERYWHERE),
  {
    name: "tools list",
    arguments: "",
    summary: "list the tools and what they may do",
    oneOff: [JSON_SWITCH, CWD, SETTINGS_FILE, TRUST],
    settings: ["tools", ...EVERYWHERE],
    examples: ["ruizn tools list", "ruizn tools list --tool ./count-words.mjs"],
  },
  {
    name: "tools show",
    arguments: "<name>",
    summary: "show a tool's description and input schema",
    oneOff: [JSON_SWITCH, CWD, SETTINGS_FILE, TRUST],
    settings: ["tools", ...EVERYWHERE],
    examples: ["ruizn tools show read_file"],
  },
  {
    name: "tools new",
    arguments: "<name>",
    summary: "write a tool of one's own with its test, to begin with",
    oneOff: [CWD],
    settings: EVERYWHERE,
    examples: ["ruizn tools new count_words"],
  },
  {
    name: "tools call",
    arguments: "<name> [input]",
    summary: "call a tool without a model, through the same guard, seal and log",
    oneOff: [JSON_SWITCH, CWD, SETTINGS_FILE, TRUST],
    settings: [...CALLS, ...EVERYWHERE],
    examples: ['ruizn tools call read_file \'{"path": "README.md"}\''],
  },
  {
    name: "log verify",
    arguments: "<run>",
    summary: "check that a run's log is whole, unaltered and in order",
    oneOff: [JSON_SWITCH, ...RUN_PLACE],
    settings: ["log_dir", ...EVERYWHERE],
    examples: ["ruizn log verify 20260722-182000-a1b2c3", "ruizn log verify run.tar.gz --json"],
  },
  {
    name: "runs list",
    arguments: "",
    summary: "list the runs of the workspace, the newest first",
    oneOff: [JSON_SWITCH, ...RUN_PLACE],
    settings: ["log_dir", ...EVERYWHERE],
    examples: ["ruizn runs list"],
  },
  {
    name: "runs show",
    arguments: "<run>",
    summary: "show what happened in a run, step by step",
    oneOff: [JSON_SWITCH, ...RUN_PLACE],
    settings: ["log_dir", ...EVERYWHERE],
    examples: ["ruizn runs show 20260722-182000-a1b2c3"],
  },
  {
    name: "runs export",
    arguments: "<run>",
    summary: "write a run's log to one file that verifies anywhere",
    oneOff: [
      {
        flag: "output",
        short: "o",
        placeholder: "FILE",
        summary: "where to (<run>.tar.gz in the workspace)",
      },
      ...RUN_PLACE,
    ],
    settings: ["log_dir", ...EVERYWHERE],
    examples: ["ruizn runs export 20260722-182000-a1b2c3 -o run.tar.gz"],
  },
  {
    name: "diff",
    arguments: "<run> <other>",
    summary: "show where two runs parted",
    oneOff: [JSON_SWITCH, ...RUN_PLACE],
    settings: ["log_dir", "output_format", ...EVERYWHERE],
    examples: ["ruizn diff 20260722-182000-a1b2c3 20260723-090000-d4e5f6"],
  },
  {
    name: "replay",
    arguments: "<run>",
    summary: "run a recorded run again without a model, and say whether it goes the same way",
    oneOff: [
      {
        flag: "tools",
        placeholder: "recorded|live",
        summary: "whether tools answer from the log (recorded) or are run (live)",
      },
      ...RUN_PLACE,
    ],
    settings: [...CALLS, "context_window", "timeout", "output_format", "verbose", "quiet", ...EVERYWHERE],
    examples: [
      "ruizn replay 20260722-182000-a1b2c3",
      "ruizn replay 20260722-182000-a1b2c3 --tools live --no-log",
    ],
  },
  {
    name: "doctor",
    arguments: "",
    summary: "show what this machine offers to hold tools in, and try it",
    oneOff: [JSON_SWITCH],
    settings: EVERYWHERE,
    examples: ["ruizn doctor", "ruizn doctor --json"],
  },
  {
    name: "probe",
    arguments: "",
    summary: "attack this installation, and say what held",
    oneOff: [
      { flag: "family", placeholder: "NAME", summary: "only these families, with commas between them" },
      { flag: "case", placeholder: "ID", summary: "only these cases" },
      {
        flag: "isolation",
        placeholder: "thread|process",
        summary: "where all tools are (own ones in processes)",
      },
      { flag: "list", summary: "say what there is and run nothing" },
      JSON_SWITCH,
      { flag: "sarif", placeholder: "FILE", summary: "also write a SARIF 2.1.0 log" },
      { flag: "junit", placeholder: "FILE", summary: "also write a JUnit report" },
      {
        flag: "baseline",
        placeholder: "FILE",
        summary: "what an earlier --json wrote: say what is different",
      },
    ],
    settings: EVERYWHERE,
    examples: ["ruizn probe", "ruizn probe --family symlink,toctou", "ruizn probe --json > probe.json"],
  },
];

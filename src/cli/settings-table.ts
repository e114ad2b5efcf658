/** How a setting's value is written, in a flag, a variable and a settings file. */
export type SettingKind =
  | { type: "text" }
  | { type: "path" }
  | { type: "count" }
  | { type: "amount" }
  | { type: "duration" }
  | { type: "flag" }
  /** With `paths` each is a path, relative to where it is written. */
  | { type: "list"; of?: readonly string[]; paths?: true }
  /** One of these words; with `orCount` a number of tokens as well. */
  | { type: "choice"; of: readonly string[]; orCount?: true };

export interface SettingSpec {
  kind: SettingKind;
  /** Long name without dashes. A `flag` that is on by default is written `no-NAME`. */
  flag: string;
  short?: string;
  /** The flag that says no, where the default may be yes. */
  off?: string;
  /** Other spellings of the flag. */
  aliases?: readonly string[];
  placeholder?: string;
  /** Variables that set it, first one first. */
  env: readonly string[];
  summary: string;
  /**
   * What a project's own file may do: set it, only narrow it, or nothing. The managed file narrows whatever can be
   * narrowed and sets nothing.
   */
  project: "sets" | "narrows" | "never";
  managed: "narrows" | "never";
}

const SANDBOXES = ["read-only", "workspace-write"] as const;
const PERMISSION_MODES = ["default", "plan", "dont-ask"] as const;
const ISOLATIONS = ["thread", "process"] as const;
const OUTPUT_FORMATS = ["text", "json", "stream-json"] as const;
const COLORS = ["auto", "always", "never"] as const;
/** A run that stops at its steps, its budget or a refusal has failed anyhow; they may be named all the same. */
const FAIL_ON = [
  ...(["denied", "tool_error", "timeout", "truncated", "no_tool_use"] as const),
  ...(["max_steps", "budget", "refusal"] as const),
] as const;
const FSYNC = ["none", "step", "event"] as const;
const THINKING = ["off", "adaptive"] as const;
const EFFORTS = ["low", "medium", "high", "xhigh", "max"] as const;

/** The effective settings of one run. Keys are those of the settings files. Durations are milliseconds. */
export interface Settings {
  model?: string;
  base_url?: string;
  thinking?: (typeof THINKING)[number] | number;
  effort?: (typeof EFFORTS)[number];
  max_tokens?: number;
  context_window?: number;
  max_steps?: number;
  max_total_tokens?: number;
  max_budget_usd?: number;
  prices_file?: string;
  max_tool_calls?: number;
  max_repeated_calls?: number;
  max_bytes_read?: number;
  max_bytes_sent?: number;
  timeout?: number;
  tool_timeout?: number;
  max_tries?: number;
  first_byte_timeout?: number;
  idle_timeout?: number;
  system_prompt?: string;
  system_prompt_file?: string;
  append_system_prompt?: string;
  append_system_prompt_file?: string;
  allowed_tools?: string[];
  disallowed_tools?: string[];
  permission_mode?: (typeof PERMISSION_MODES)[number];
  tools?: string[];
  sandbox?: (typeof SANDBOXES)[number];
  require_seal?: boolean;
  ci?: boolean;
  isolation?: (typeof ISOLATIONS)[number];
  fail_on?: (typeof FAIL_ON)[number][];
  canary?: string[];
  log?: boolean;
  log_dir?: string;
  fsync?: (typeof FSYNC)[number];
  output_format?: (typeof OUTPUT_FORMATS)[number];
  color?: (typeof COLORS)[number];
  verbose?: boolean;
  debug?: boolean;
  quiet?: boolean;
}

export type SettingKey = keyof Settings;

const MODEL = { project: "sets", managed: "never" } as const;
const LIMIT = { project: "narrows", managed: "narrows" } as const;
const OWN = { project: "never", managed: "never" } as const;

/** Every setting: one row gives the flag, the variable, the key of the settings files, its help and its schema. */
export const SETTINGS: Record<SettingKey, SettingSpec> = {
  model: {
    ...MODEL,
    kind: { type: "text" },
    flag: "model",
    placeholder: "NAME",
    env: ["RUIZN_MODEL", "ANTHROPIC_MODEL"],
    summary: "model to ask",
  },
  base_url: {
    ...OWN,
    kind: { type: "text" },
    flag: "base-url",
    placeholder: "URL",
    env: ["RUIZN_BASE_URL", "ANTHROPIC_BASE_URL"],
    summary: "server that speaks the Messages API",
  },
  thinking: {
    ...MODEL,
    kind: { type: "choice", of: THINKING, orCount: true },
    flag: "thinking",
    env: ["RUIZN_THINKING"],
    summary: "whether the model thinks first, and for how many tokens",
  },
  effort: {
    ...MODEL,
    kind: { type: "choice", of: EFFORTS },
    flag: "effort",
    env: ["RUIZN_EFFORT"],
    summary: "how much effort the model makes",
  },
  max_tokens: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-tokens",
    placeholder: "N",
    env: ["RUIZN_MAX_TOKENS"],
    summary: "tokens of one response at most",
  },
  context_window: {
    ...MODEL,
    kind: { type: "count" },
    flag: "context-window",
    placeholder: "N",
    env: ["RUIZN_CONTEXT_WINDOW"],
    summary: "tokens that the model takes, input and output together (by its name)",
  },
  max_steps: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-steps",
    aliases: ["max-turns"],
    placeholder: "N",
    env: ["RUIZN_MAX_STEPS"],
    summary: "model responses at most (50)",
  },
  max_total_tokens: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-total-tokens",
    placeholder: "N",
    env: ["RUIZN_MAX_TOTAL_TOKENS"],
    summary: "tokens of all responses and requests at most",
  },
  max_budget_usd: {
    ...LIMIT,
    kind: { type: "amount" },
    flag: "max-budget-usd",
    placeholder: "USD",
    env: ["RUIZN_MAX_BUDGET_USD"],
    summary: "US dollars at most, by the price table",
  },
  prices_file: {
    ...OWN,
    kind: { type: "path" },
    flag: "prices-file",
    placeholder: "FILE",
    env: ["RUIZN_PRICES_FILE"],
    summary: "JSON file with prices by model, over the built-in table",
  },
  max_tool_calls: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-tool-calls",
    placeholder: "N",
    env: ["RUIZN_MAX_TOOL_CALLS"],
    summary: "tool calls at most",
  },
  max_repeated_calls: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-repeated-calls",
    placeholder: "N",
    env: ["RUIZN_MAX_REPEATED_CALLS"],
    summary: "calls of the same tool with the same input at most",
  },
  max_bytes_read: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-bytes-read",
    placeholder: "N",
    env: ["RUIZN_MAX_BYTES_READ"],
    summary: "bytes of all tool results together at most",
  },
  max_bytes_sent: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-bytes-sent",
    placeholder: "N",
    env: ["RUIZN_MAX_BYTES_SENT"],
    summary: "bytes of all messages in all requests together at most",
  },
  timeout: {
    ...LIMIT,
    kind: { type: "duration" },
    flag: "timeout",
    placeholder: "TIME",
    env: ["RUIZN_TIMEOUT"],
    summary: "for the whole run, such as 15m",
  },
  tool_timeout: {
    ...LIMIT,
    kind: { type: "duration" },
    flag: "tool-timeout",
    placeholder: "TIME",
    env: ["RUIZN_TOOL_TIMEOUT"],
    summary: "for one tool call (10s)",
  },
  max_tries: {
    ...LIMIT,
    kind: { type: "count" },
    flag: "max-tries",
    placeholder: "N",
    env: ["RUIZN_MAX_TRIES"],
    summary: "tries of one model request at most (7)",
  },
  first_byte_timeout: {
    ...LIMIT,
    kind: { type: "duration" },
    flag: "first-byte-timeout",
    placeholder: "TIME",
    env: ["RUIZN_FIRST_BYTE_TIMEOUT"],
    summary: "for the model to begin its response (60s); then it is asked again",
  },
  idle_timeout: {
    ...LIMIT,
    kind: { type: "duration" },
    flag: "idle-timeout",
    placeholder: "TIME",
    env: ["RUIZN_IDLE_TIMEOUT"],
    summary: "without a byte in the middle of a response (5m); then it is asked again",
  },
  system_prompt: {
    ...OWN,
    kind: { type: "text" },
    flag: "system-prompt",
    placeholder: "TEXT",
    env: ["RUIZN_SYSTEM_PROMPT"],
    summary: "in place of the built-in system prompt",
  },
  system_prompt_file: {
    ...OWN,
    kind: { type: "path" },
    flag: "system-prompt-file",
    placeholder: "FILE",
    env: ["RUIZN_SYSTEM_PROMPT_FILE"],
    summary: "the same, from a file",
  },
  append_system_prompt: {
    ...OWN,
    kind: { type: "text" },
    flag: "append-system-prompt",
    placeholder: "TEXT",
    env: ["RUIZN_APPEND_SYSTEM_PROMPT"],
    summary: "added to the system prompt",
  },
  append_system_prompt_file: {
    ...OWN,
    kind: { type: "path" },
    flag: "append-system-prompt-file",
    placeholder: "FILE",
    env: ["RUIZN_APPEND_SYSTEM_PROMPT_FILE"],
    summary: "the same, from a file",
  },
  allowed_tools: {
    ...LIMIT,
    kind: { type: "list" },
    flag: "allowed-tools",
    placeholder: "LIST",
    env: ["RUIZN_ALLOWED_TOOLS"],
    summary: 'only these, such as "read_file(src/**),grep"',
  },
  disallowed_tools: {
    ...LIMIT,
    kind: { type: "list" },
    flag: "disallowed-tools",
    placeholder: "LIST",
    env: ["RUIZN_DISALLOWED_TOOLS"],
    summary: "never these; stands above --allowed-tools",
  },
  permission_mode: {
    ...LIMIT,
    kind: { type: "choice", of: PERMISSION_MODES },
    flag: "permission-mode",
    env: ["RUIZN_PERMISSION_MODE"],
    summary: "plan: nothing that writes; dont-ask: nothing that --allowed-tools does not name",
  },
  tools: {
    ...OWN,
    kind: { type: "list", paths: true },
    flag: "tool",
    placeholder: "FILE",
    env: ["RUIZN_TOOLS"],
    summary: "offer the tool that this module defines as well; may be given several times",
  },
  sandbox: {
    ...LIMIT,
    kind: { type: "choice", of: SANDBOXES },
    flag: "sandbox",
    env: ["RUIZN_SANDBOX"],
    summary: "what tools may do to the workspace (read-only)",
  },
  require_seal: {
    ...LIMIT,
    kind: { type: "flag" },
    flag: "require-seal",
    env: ["RUIZN_REQUIRE_SEAL"],
    summary: "do not run without the kernel seal",
  },
  ci: {
    ...OWN,
    kind: { type: "flag" },
    flag: "ci",
    off: "no-ci",
    env: ["RUIZN_CI"],
    summary:
      "hardened for machines: asks nothing, requires the seal, all tools in processes (docs/ci.md); on when CI is set",
  },
  isolation: {
    ...LIMIT,
    kind: { type: "choice", of: ISOLATIONS },
    flag: "isolation",
    env: ["RUIZN_ISOLATION"],
    summary: "where tools run; by default tool modules in processes, the others in threads",
  },
  fail_on: {
    ...LIMIT,
    kind: { type: "list", of: FAIL_ON },
    flag: "fail-on",
    placeholder: "LIST",
    env: ["RUIZN_FAIL_ON"],
    summary:
      "do not succeed after: denied, tool_error, timeout, truncated, no_tool_use (max_steps, budget, refusal never do)",
  },
  canary: {
    ...OWN,
    kind: { type: "list" },
    flag: "canary",
    placeholder: "TEXT",
    env: ["RUIZN_CANARY"],
    summary: "end the run when this planted text turns up anywhere; may be given several times",
  },
  log: {
    project: "never",
    managed: "narrows",
    kind: { type: "flag" },
    flag: "no-log",
    env: ["RUIZN_LOG"],
    summary: "keep no events.jsonl",
  },
  log_dir: {
    ...OWN,
    kind: { type: "path" },
    flag: "log-dir",
    placeholder: "DIR",
    env: ["RUIZN_LOG_DIR"],
    summary: "where runs are kept (.ruizn/runs in the workspace)",
  },
  fsync: {
    ...OWN,
    kind: { type: "choice", of: FSYNC },
    flag: "fsync",
    env: ["RUIZN_FSYNC"],
    summary: "when the log is forced to the disk, against power loss (step)",
  },
  output_format: {
    ...OWN,
    kind: { type: "choice", of: OUTPUT_FORMATS },
    flag: "output-format",
    env: ["RUIZN_OUTPUT_FORMAT"],
    summary: "text, one JSON object, or one event a line",
  },
  color: {
    ...OWN,
    kind: { type: "choice", of: COLORS },
    flag: "color",
    env: ["RUIZN_COLOR"],
    summary: "ANSI colour (auto)",
  },
  verbose: {
    ...OWN,
    kind: { type: "flag" },
    flag: "verbose",
    env: ["RUIZN_VERBOSE"],
    summary: "also requests, usage and thinking",
  },
  debug: {
    ...OWN,
    kind: { type: "flag" },
    flag: "debug",
    env: ["RUIZN_DEBUG"],
    summary: "also stack traces of errors",
  },
  quiet: {
    ...OWN,
    kind: { type: "flag" },
    flag: "quiet",
    short: "q",
    env: ["RUIZN_QUIET"],
    summary: "the answer, warnings and errors only",
  },
};

export const SETTING_KEYS = Object.keys(SETTINGS) as SettingKey[];

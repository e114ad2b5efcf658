import type { CommandSpec, OneOffFlag } from "./commands.ts";
import { type SettingKey, SETTINGS } from "./settings-table.ts";

/** A review has its own system prompt, tools, output and idea of failure, and writes nothing. */
const NOT_OF_REVIEWS: ReadonlySet<SettingKey> = new Set([
  "system_prompt",
  "system_prompt_file",
  "append_system_prompt",
  "append_system_prompt_file",
  "tools",
  "sandbox",
  "fail_on",
  "output_format",
]);
const REVIEWS = (Object.keys(SETTINGS) as SettingKey[]).filter((key) => !NOT_OF_REVIEWS.has(key));

/** The commands about reviews, as rows of the table of commands. */
export function reviewCommands(
  place: readonly OneOffFlag[],
  everywhere: readonly SettingKey[],
): readonly CommandSpec[] {
  return [
    {
      name: "review",
      arguments: "[paths...]",
      summary:
        "review code for security: a scan by rules, and findings of a model that are checked against the code",
      oneOff: [
        {
          flag: "base",
          placeholder: "REF",
          summary: "what changed since HEAD left REF, uncommitted changes included",
        },
        { flag: "commit", placeholder: "REV", summary: "what this commit changed" },
        { flag: "uncommitted", summary: "what is not committed, untracked files included" },
        { flag: "diff", placeholder: "FILE", summary: "the lines that a unified diff adds" },
        {
          flag: "severity",
          placeholder: "low|medium|high|critical",
          summary: "leave out findings below this (low)",
        },
        {
          flag: "format",
          placeholder: "text|json|sarif|junit|github|markdown",
          summary: "form of the report (text)",
        },
        { flag: "output", short: "o", placeholder: "FILE", summary: "write the report to a file" },
        {
          flag: "fail-on",
          placeholder: "SEVERITY",
          summary: "exit with 62 when there is a finding of this severity or above",
        },
        {
          flag: "baseline",
          placeholder: "FILE",
          summary: "an earlier report (json or sarif): its findings are marked as known",
        },
        {
          flag: "min-coverage",
          placeholder: "PERCENT",
          summary: "share of the lines that the model has to read (80), or exit with 63",
        },
        ...place,
      ],
      settings: REVIEWS,
      examples: [
        "ruizn review --base main --fail-on high",
        "ruizn review src --format sarif -o review.sarif",
        "git diff main > change.diff && ruizn review --diff change.diff",
      ],
    },
    {
      name: "findings diff",
      arguments: "<report> <other>",
      summary: "show which findings of two reports of `ruizn review` are new and which are gone",
      oneOff: [{ flag: "json", summary: "as JSON" }],
      settings: everywhere,
      examples: ["ruizn findings diff before.json after.sarif"],
    },
  ];
}

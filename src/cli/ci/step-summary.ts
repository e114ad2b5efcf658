import type { RunResult } from "../../runner/run-result.ts";
import { codeBlock, codeSpan } from "./markdown.ts";
import type { RunFacts } from "./run-facts.ts";

/** GitHub takes a megabyte a step; the answer is the only part that can be long. */
const ANSWER_MAX_CHARS = 200_000;
const ROWS_MAX = 20;
const LINE_MAX_CHARS = 300;

/** A run for people, in Markdown. Whatever comes from model, files or tools stands in code that it can't leave. */
export function stepSummary(result: RunResult, facts: RunFacts): string {
  const { result: answer } = result;
  const cut = answer.length > ANSWER_MAX_CHARS;
  return [
    `## RuiZN: ${result.isError ? "failed" : "success"}\n`,
    ...result.errors.map(({ code, message }) => `${code}: ${span(message)}\n`),
    answer.trim() === "" ? "No answer.\n" : codeBlock(answer.slice(0, ANSWER_MAX_CHARS)),
    ...(cut ? [`The answer is longer: its first ${ANSWER_MAX_CHARS} characters are shown.\n`] : []),
    factLines(result, facts).join("\n"),
    ...section(
      "Denied",
      result.permissionDenials.map(({ tool_name, message }) => `${span(tool_name)} ${span(message)}`),
    ),
    ...section(
      "Truncated",
      facts.truncated.map((line) => span(line)),
    ),
    "",
  ].join("\n");
}

function factLines({ runId, numSteps, durationMs, totalCostUsd, usage }: RunResult, facts: RunFacts) {
  const byName = [...facts.tools].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const tools = byName.map(
    ([name, { calls, errors }]) => `${span(name)} ${calls}${errors > 0 ? ` (${errors} failed)` : ""}`,
  );
  const cost = totalCostUsd === null ? "unknown (no price for the model)" : `$${totalCostUsd.toFixed(4)}`;
  const { state, reason } = facts.seal ?? { state: "not tried" };
  return [
    `- Run: ${span(runId)}, ${span(facts.model ?? "no model")}`,
    `- Steps: ${numSteps} in ${(durationMs / 1000).toFixed(1)} s`,
    `- Cost: ${cost}; tokens: ${usage.input_tokens} in, ${usage.output_tokens} out`,
    `- Tools: ${tools.length === 0 ? "none" : tools.slice(0, ROWS_MAX).join(", ")}${more(tools.length)}`,
    `- Seal: ${state}${reason === undefined ? "" : ` ${span(reason)}`}`,
  ];
}

function section(title: string, rows: string[]): string[] {
  if (rows.length === 0) return [`\n${title}: nothing.`];
  const shown = rows.slice(0, ROWS_MAX).map((row) => `- ${row}`);
  return [`\n### ${title}\n`, ...shown, ...(rows.length > ROWS_MAX ? [`- ${more(rows.length)}`] : [])];
}

function more(count: number): string {
  return count > ROWS_MAX ? ` and ${count - ROWS_MAX} more` : "";
}

function span(text: string): string {
  return codeSpan(text.length > LINE_MAX_CHARS ? `${text.slice(0, LINE_MAX_CHARS)}…` : text);
}

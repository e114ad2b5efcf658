import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { RUN_ERROR_CODES, TOOL_ERROR_TYPES } from "../../src/errors.ts";

// Literals on purpose: a red test here means that what users match on has changed, and that docs/errors.md must too.
const TOOL_TYPES = [
  "unknown_tool",
  "invalid_input",
  "permission_error",
  "not_found",
  "timeout",
  "cancelled",
  "interrupted",
  "memory_limit",
  "output_limit",
  "worker_crash",
  "result_rejected",
  "seal_unavailable",
  "runtime_error",
];
const RUN_CODES = [
  "usage_invalid",
  "input_invalid",
  "settings_invalid",
  "workspace_invalid",
  "workspace_untrusted",
  "tool_invalid",
  "auth_failed",
  "model_not_found",
  "request_invalid",
  "rate_limited",
  "overloaded",
  "network_error",
  "stream_broken",
  "api_error",
  "malformed_tool_use",
  "refusal",
  "context_exhausted",
  "max_steps",
  "budget_exhausted",
  "timeout",
  "aborted",
  "seal_unavailable",
  "permission_denied",
  "tool_failed",
  "canary_seen",
  "replay_mismatch",
  "log_unwritable",
  "internal",
];

test("the tool error types are these, and docs/errors.md has a row for each in the same order", () => {
  expect(TOOL_ERROR_TYPES).toEqual(TOOL_TYPES);
  expect(rowsUnder("## Tool errors")).toEqual(TOOL_TYPES);
});

test("the run error codes are these, and docs/errors.md has a row for each in the same order", () => {
  expect(RUN_ERROR_CODES).toEqual(RUN_CODES);
  expect(rowsUnder("## Run errors")).toEqual(RUN_CODES);
});

/** The first cells of the table under a heading, without head and rule. */
function rowsUnder(heading: string): string[] {
  const page = readFileSync(new URL("../../docs/errors.md", import.meta.url), "utf8");
  const [, section = ""] = page.split(`${heading}\n`);
  const table = section.split("\n## ")[0] ?? "";
  return [...table.matchAll(/^\| `(\w+)` \| .+ \| .+ \|$/gm)].map(([, code]) => code ?? "");
}

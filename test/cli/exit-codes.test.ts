import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { EXIT, exitCodeOf } from "../../src/cli/exit-codes.ts";
import { RUN_ERROR_CODES } from "../../src/errors.ts";

test("the table of exit codes is this one", () => {
  expect(EXIT).toEqual({
    success: 0,
    failure: 1,
    usage: 2,
    authentication: 41,
    badInput: 42,
    sealUnavailable: 44,
    settingsInvalid: 52,
    stepLimit: 53,
    toolFailed: 54,
    workspaceUntrusted: 55,
    permissionDenied: 56,
    budgetExhausted: 57,
    refusal: 58,
    contextExhausted: 59,
    logUnwritable: 60,
    canarySeen: 61,
    findings: 62,
    reviewIncomplete: 63,
    timeout: 124,
    sighup: 129,
    sigint: 130,
    sigterm: 143,
  });
});

test("every way a run can fail has its code, and none is success", () => {
  expect(Object.fromEntries(RUN_ERROR_CODES.map((code) => [code, exitCodeOf(code)]))).toEqual({
    usage_invalid: 2,
    input_invalid: 42,
    settings_invalid: 52,
    workspace_invalid: 42,
    workspace_untrusted: 55,
    tool_invalid: 52,
    auth_failed: 41,
    model_not_found: 1,
    request_invalid: 1,
    rate_limited: 1,
    overloaded: 1,
    network_error: 1,
    stream_broken: 1,
    api_error: 1,
    malformed_tool_use: 1,
    refusal: 58,
    context_exhausted: 59,
    max_steps: 53,
    budget_exhausted: 57,
    timeout: 124,
    aborted: 1,
    seal_unavailable: 44,
    permission_denied: 56,
    tool_failed: 54,
    canary_seen: 61,
    replay_mismatch: 1,
    log_unwritable: 60,
    internal: 1,
  });
});

test("docs/cli.md has a row for each code and for no other", () => {
  const page = readFileSync(new URL("../../docs/cli.md", import.meta.url), "utf8");
  const rows = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(rows).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});

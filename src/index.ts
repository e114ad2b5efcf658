/** The public API. Names are listed one by one: adding one here is a promise. The command is built on these alone. */

// Runs
export { AgentRunner, type RunnerOptions } from "./runner/agent-runner.ts";
export type { ResumeOptions } from "./runner/resume-run.ts";
export {
  INTERRUPT_SIGNALS,
  type InterruptSignal,
  type PermissionDenial,
  type RunResult,
} from "./runner/run-result.ts";
export type { FailOn } from "./runner/run-tally.ts";
export { ExecutionContext } from "./context/execution-context.ts";
export type { BudgetLimits, BudgetName } from "./budget/budget.ts";
export type { ModelPrice, PriceTable } from "./budget/prices.ts";
export type { Policy, PolicyDecision } from "./policy/policy.ts";
export { type PolicyRules, RulePolicy } from "./policy/rule-policy.ts";
export type { Secret } from "./redaction/redactor.ts";
export { secretsOf } from "./redaction/secrets-of.ts";
export { RuiZNError, type RunErrorCode, type ToolErrorType } from "./errors.ts";
export { LIMITS } from "./limits.ts";
export { VERSION } from "./version.ts";

// Models
export type {
  ModelRequest,
  ModelResponse,
  Provider,
  StreamSink,
  ToolDescription,
} from "./provider/provider.ts";
export { NO_USAGE, type ToolUseBlock, type Usage } from "./messages.ts";
export type { AnthropicOptions } from "./provider/anthropic/anthropic-options.ts";
export { AnthropicProvider } from "./provider/anthropic/anthropic-provider.ts";
export { OfflineProvider } from "./provider/offline/offline-provider.ts";
export { ReplayProvider } from "./provider/replay/replay-provider.ts";

// Tools
export {
  BaseTool,
  type InputOf,
  type PathUse,
  type ToolAnnotations,
  type ToolProfile,
} from "./tools/base-tool.ts";
export { type BodyContext, type BodyResult, type ToolBody, ToolFailure } from "./tools/tool-body.ts";
export type { ToolContent, ToolData, ToolResult } from "./tools/tool-result.ts";
export { TOOL_NAME_PATTERN, ToolRegistry } from "./tools/tool-registry.ts";
export { readTools, writeTools } from "./tools/built-in.ts";
export { invokeTool, type InvokeDeps, type ToolCall, type ToolNote } from "./tools/invoke-tool.ts";
export { loadUserTools, type UserTools, type UserToolsOptions } from "./tools/user/load-user-tools.ts";
export { ToolPool, type ToolPoolOptions } from "./sandbox/tool-pool.ts";
export { canonicalRoot } from "./sandbox/guard/canonical-root.ts";

// Events
export { EventBus, type Subscriber } from "./events/event-bus.ts";
export type * from "./events/run-event.ts";
export { JsonPrinter } from "./events/json-printer.ts";
export { StdoutPrinter, type StdoutPrinterOptions, type TextSink } from "./events/stdout-printer.ts";
export { terminalLine, terminalText } from "./events/terminal-text.ts";

// Logs
export { readEvents } from "./events/event-reader.ts";
export { openRunFolder, type RunPlace } from "./events/run-folder.ts";
export { diffRuns, type Difference } from "./log/diff-runs.ts";
export { exportRun } from "./log/export-run.ts";
export { findRun } from "./log/find-run.ts";
export type { LogReport } from "./log/log-report.ts";
export { withBundle } from "./log/open-bundle.ts";
export { type Cassette, readCassette } from "./log/read-cassette.ts";
export { listRuns, type RunSummary, summarizeRun } from "./log/summarize-run.ts";
export { verifyLog } from "./log/verify-log.ts";

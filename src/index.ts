/** The public API. Names are listed one by one: adding one here is a promise. */
export { AgentRunner, type RunnerOptions } from "./runner/agent-runner.ts";
export type { ResumeOptions } from "./runner/resume-run.ts";
export type { InterruptSignal, PermissionDenial, RunResult } from "./runner/run-result.ts";
export type { FailOn } from "./runner/run-tally.ts";
export { ExecutionContext } from "./context/execution-context.ts";
export { EventBus, type Subscriber } from "./events/event-bus.ts";
export type {
  RunEvent,
  RunEventType,
  SealReport,
  StampedEvent,
  TerminalReason,
} from "./events/run-event.ts";
export type {
  ModelRequest,
  ModelResponse,
  Provider,
  StreamSink,
  ToolDescription,
} from "./provider/provider.ts";
export type { Policy, PolicyDecision } from "./policy/policy.ts";
export {
  BaseTool,
  type InputOf,
  type PathUse,
  type ToolAnnotations,
  type ToolProfile,
} from "./tools/base-tool.ts";
export { type BodyContext, type BodyResult, type ToolBody, ToolFailure } from "./tools/tool-body.ts";
export type { ToolContent, ToolData, ToolResult } from "./tools/tool-result.ts";
export { ToolRegistry } from "./tools/tool-registry.ts";
export { invokeTool, type InvokeDeps, type ToolCall } from "./tools/invoke-tool.ts";
export { ToolPool } from "./sandbox/tool-pool.ts";
export { RuiZNError, type RunErrorCode, type ToolErrorType } from "./errors.ts";
export { VERSION } from "./version.ts";

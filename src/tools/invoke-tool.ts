import { judgePathText } from "../sandbox/guard/path-text.ts";
import { readUnchecked } from "../sandbox/read-unchecked.ts";
import { recheckReply } from "../sandbox/recheck.ts";
import type { ToolErrorType } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Policy } from "../policy/policy.ts";
import type { CallNote } from "../sandbox/protocol.ts";
import type { PoolOutcome, ToolRunner } from "../sandbox/tool-runner.ts";
import type { BaseTool, PathUse } from "./base-tool.ts";
import type { RegisteredTool, ToolRegistry } from "./tool-registry.ts";
import { type CallOutcome, toToolResult } from "./to-tool-result.ts";
import type { ToolResult } from "./tool-result.ts";

const NAME_SHOWN_MAX_CHARS = 128;

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

export interface InvokeDeps {
  registry: ToolRegistry;
  pool: ToolRunner;
  policy: Policy;
  signal: AbortSignal;
  /** Milliseconds for this call; otherwise the tool's own limit, otherwise the default. */
  timeoutMs?: number;
  /** More checks of an input that its schema allows: why it is not valid, for the model; undefined when it is. */
  check?: (call: ToolCall) => string | undefined;
  /** Told what the tool says while it works: bounded, and not to be relied on. Must not throw. */
  onNote?: (note: ToolNote) => void;
}

/** Something that a tool said while its call ran. */
export type ToolNote = Omit<CallNote, "nonce">;

/** Runs one tool call from the model's words to a checked result. Never throws: every failure is a ToolResult. */
export async function invokeTool(call: ToolCall, deps: InvokeDeps): Promise<ToolResult> {
  const startedAt = performance.now();
  const outcome = await run(call, deps).catch(notJudged);
  return toToolResult({
    callId: call.id,
    toolName: call.name,
    outcome,
    durationMs: Math.round(performance.now() - startedAt),
  });
}

async function run(call: ToolCall, deps: InvokeDeps): Promise<CallOutcome> {
  const registered = deps.registry.get(call.name);
  if (!registered) return unknownTool(call.name, deps.registry);
  const { tool } = registered;
  const input = plainInput(call.input);
  const refusal =
    validate(registered, input) ??
    authorise(tool, input.value, deps.policy) ??
    checked({ ...call, input: input.value }, deps);
  if (refusal) return refusal;
  const paths = tool.paths(input.value as never);
  return guard(tool, paths, deps.pool) ?? dispatch({ tool, input: input.value, paths }, deps);
}

function unknownTool(name: string, registry: ToolRegistry): CallOutcome {
  const names = registry.names();
  const known =
    names.length === 0 ? "this run has no tools" : `the tools of this run are: ${names.join(", ")}`;
  return failed(
    "unknown_tool",
    `there is no tool named ${JSON.stringify(name.slice(0, NAME_SHOWN_MAX_CHARS))}; ${known}`,
  );
}

/** The input as it will reach the worker: plain JSON, whatever a caller of the library passed in. */
function plainInput(input: unknown): { value: unknown; bytes: number } {
  const text = JSON.stringify(input) ?? "null";
  return { value: JSON.parse(text), bytes: Buffer.byteLength(text) };
}

function validate(
  { tool, validate: problemOf }: RegisteredTool,
  input: ReturnType<typeof plainInput>,
): CallOutcome | undefined {
  const problem =
    input.bytes > LIMITS.inputMaxBytes
      ? `the input is ${input.bytes} bytes, limit ${LIMITS.inputMaxBytes}`
      : problemOf(input.value);
  return problem === undefined
    ? undefined
    : failed("invalid_input", `${tool.name}: ${problem}; correct it and call again`);
}

function authorise(tool: BaseTool, input: unknown, policy: Policy): CallOutcome | undefined {
  const decision = policy.decide(tool, input);
  return decision.allowed
    ? undefined
    : failed(
        "permission_error",
        `${tool.name} is not allowed here: ${decision.reason}; do it another way or say that you cannot`,
      );
}

function checked(call: ToolCall, { check }: InvokeDeps): CallOutcome | undefined {
  const problem = check?.(call);
  return problem === undefined ? undefined : failed("invalid_input", `${call.name}: ${problem}`);
}

/** The first of two guards: the paths that the input names, judged as text before any worker sees them. */
function guard(tool: BaseTool, paths: readonly PathUse[], pool: ToolRunner): CallOutcome | undefined {
  if (pool.switches.mainGuard === "off") return undefined;
  for (const { path, access } of paths) {
    const judged = judgePathText(path, pool.root, access);
    if (!judged.ok) return failed(judged.errorType, `${tool.name}: ${judged.message}`);
  }
  return undefined;
}

interface JudgedCall {
  tool: BaseTool;
  input: unknown;
  paths: readonly PathUse[];
}

async function dispatch(call: JudgedCall, deps: InvokeDeps): Promise<CallOutcome> {
  const { tool, input } = call;
  const timeoutMs = deps.timeoutMs ?? tool.timeoutMs ?? LIMITS.toolTimeoutMs;
  const outcome = await deps.pool.run(tool, input, { signal: deps.signal, timeoutMs, onNote: deps.onNote });
  if (outcome.kind === "reply") return recheck(call, outcome, deps.pool);
  const { errorType, message, output, isolation, seal } = outcome;
  const data = output === undefined ? {} : { worker_output: output };
  return { ...failed(errorType, `${tool.name}: ${message}`), data, isolation, seal };
}

/** What came back is a claim until it has passed here; one that does not pass costs the worker its life. */
function recheck(call: JudgedCall, outcome: PoolOutcome & { kind: "reply" }, pool: ToolRunner): CallOutcome {
  const { tool, paths } = call;
  const { reply, nonce, isolation, seal } = outcome;
  const { root, rootDev, switches } = pool;
  const byName = switches.openBeneath === "portable" || process.platform !== "linux";
  const checked =
    switches.recheck === "off"
      ? readUnchecked(reply)
      : recheckReply(reply, { nonce, root, rootDev, profile: tool.profile, paths, byName });
  if (!checked.ok) {
    pool.discard(outcome);
    const message = `${tool.name}: the result did not pass the check (${checked.check}) and was thrown away; nothing in it can be relied on`;
    const { check, detail } = checked;
    return { ...failed("result_rejected", message), violation: { check, detail }, isolation, seal };
  }
  const { head, content } = checked;
  if (head.ok) return { ok: true, content, data: head.data, isolation, seal };
  return { ...failed(head.error_type, `${tool.name}: ${head.message}`), data: head.data, isolation, seal };
}

function failed(errorType: ToolErrorType, message: string): CallOutcome & { ok: false } {
  return { ok: false, errorType, message };
}

/** A policy or a tool's `paths` threw, against its contract: what was not judged is not run. */
function notJudged(error: unknown): CallOutcome {
  return failed(
    "runtime_error",
    `the call could not be judged and was not made: ${error instanceof Error ? error.message : "unknown error"}`,
  );
}

import type { ReplyHead, ToolReply } from "../sandbox/protocol.ts";
import type { ToolErrorType } from "../errors.ts";
import { LIMITS } from "../limits.ts";
import type { Policy } from "../policy/policy.ts";
import type { PoolOutcome, ToolPool } from "../sandbox/tool-pool.ts";
import type { BaseTool } from "./base-tool.ts";
import type { RegisteredTool, ToolRegistry } from "./tool-registry.ts";
import { type CallOutcome, toToolResult } from "./to-tool-result.ts";
import type { ToolContent, ToolResult } from "./tool-result.ts";

const NAME_SHOWN_MAX_CHARS = 128;

export interface ToolCall {
  id: string;
  name: string;
  input: unknown;
}

export interface InvokeDeps {
  registry: ToolRegistry;
  pool: ToolPool;
  policy: Policy;
  signal: AbortSignal;
  /** Milliseconds for this call; otherwise the tool's own limit, otherwise the default. */
  timeoutMs?: number;
}

/** Runs one tool call from the model's words to a checked result. Never throws: every failure is a ToolResult. */
export async function invokeTool(call: ToolCall, deps: InvokeDeps): Promise<ToolResult> {
  const startedAt = performance.now();
  const outcome = await run(call, deps).catch(notJudged);
  return toToolResult({
    callId: call.id,
    toolName: call.name,
    outcome,
    durationMs: performance.now() - startedAt,
  });
}

async function run(call: ToolCall, deps: InvokeDeps): Promise<CallOutcome> {
  const registered = deps.registry.get(call.name);
  if (!registered) return unknownTool(call.name, deps.registry);
  const { tool } = registered;
  const input = plainInput(call.input);
  const refusal = validate(registered, input) ?? authorise(tool, input.value, deps.policy);
  return refusal ?? dispatch(tool, input.value, deps);
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

async function dispatch(tool: BaseTool, input: unknown, deps: InvokeDeps): Promise<CallOutcome> {
  const timeoutMs = deps.timeoutMs ?? tool.timeoutMs ?? LIMITS.toolTimeoutMs;
  const outcome = await deps.pool.run(tool, input, { signal: deps.signal, timeoutMs });
  if (outcome.kind === "reply") return recheck(tool, outcome, deps.pool);
  const { errorType, message, output, isolation, seal } = outcome;
  const data = output === undefined ? {} : { worker_output: output };
  return { ...failed(errorType, `${tool.name}: ${message}`), data, isolation, seal };
}

/** What came back is a claim until it has passed here; one that does not pass costs the worker its life. */
function recheck(tool: BaseTool, outcome: PoolOutcome & { kind: "reply" }, pool: ToolPool): CallOutcome {
  const { isolation, seal } = outcome;
  const checked = recheckReply(outcome.reply, { nonce: outcome.nonce });
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

/** Shape and nonce; the full re-check of src/sandbox/recheck.ts takes its place. */
function recheckReply(reply: unknown, expect: { nonce: string }): Rechecked {
  const { head: text, bytes } = reply as ToolReply;
  const head = JSON.parse(text) as ReplyHead;
  if (head.nonce !== expect.nonce) {
    return { ok: false, check: "nonce", detail: "the reply does not carry the nonce of the call" };
  }
  const textOf = (block: ReplyContent): ToolContent =>
    "bytes" in block
      ? { type: "text", text: Buffer.from(bytes?.subarray(...block.bytes) ?? []).toString("utf8") }
      : block;
  return { ok: true, head, content: head.ok ? head.content.map(textOf) : [] };
}

type ReplyContent = Extract<ReplyHead, { ok: true }>["content"][number];
type Rechecked =
  | { ok: true; head: ReplyHead; content: ToolContent[] }
  | { ok: false; check: string; detail: string };

import { join } from "node:path";
import type { ToolErrorType } from "../errors.ts";
import type { LayerSwitches } from "../sandbox/protocol.ts";
import { ToolPool } from "../sandbox/tool-pool.ts";
import type { BaseTool } from "../tools/base-tool.ts";
import { readTools, writeTools } from "../tools/built-in.ts";
import { invokeTool } from "../tools/invoke-tool.ts";
import { ToolRegistry } from "../tools/tool-registry.ts";
import type { ToolResult } from "../tools/tool-result.ts";
import { type AttackTree, makeAttackTree } from "./attack-tree.ts";
import { Findings } from "./findings.ts";
import { type HostileTools, makeHostileTools } from "./hostile-tool.ts";
import { type AttackedRun, type RunAttack, runAttack } from "./run-attack.ts";

/** How the stage is built: which tier, and which layers are off. */
export interface StageOptions {
  isolation?: "thread" | "process";
  seal?: "try" | "off";
  switches?: LayerSwitches;
  /** Folder for the stage's own temp folder. */
  parent?: string;
}

export interface CallOptions {
  timeoutMs?: number;
  signal?: AbortSignal;
  /** The canary may stand in this result: it was in what was given, or reading it is allowed by rule. */
  mayShow?: true;
}

/** A call may end this long after its deadline: the thread has to be ended and its room given back. */
const GRACE_MS = 500;
const TIMEOUT_MS = 10_000;

/** The worlds that cases are run in: an attack tree, tools on it and a pool. Serves one case after the other. */
export class Stage {
  readonly options: StageOptions;
  findings = new Findings();
  #tree: AttackTree;
  #pool: ToolPool | undefined;
  #hostile: HostileTools | undefined;
  readonly #undo: (() => unknown)[] = [];

  constructor(options: StageOptions = {}) {
    this.options = options;
    this.#tree = makeAttackTree(options.parent);
  }

  get tree(): AttackTree {
    return this.#tree;
  }

  get canary(): string {
    return this.#tree.canary;
  }

  get pool(): ToolPool {
    const { isolation, seal = "try", switches = {} } = this.options;
    this.#pool ??= new ToolPool({
      root: this.#tree.root,
      seal,
      switches,
      ...(isolation && { isolation }),
    });
    return this.#pool;
  }

  get hostile(): HostileTools {
    this.#hostile ??= makeHostileTools(join(this.#tree.base, "tools"));
    return this.#hostile;
  }

  /** Something got through that must not. */
  escaped(what: string): void {
    this.findings.escaped(what);
  }

  /** It ended right, but later or louder than promised. */
  degraded(what: string): void {
    this.findings.degraded(what);
  }

  /** `false` is an escape. */
  holds(condition: boolean, otherwise: string): void {
    if (!condition) this.escaped(otherwise);
  }

  /** A success that is none of these outcomes got through; an error of another type is told apart. */
  expects(result: ToolResult, outcomes: readonly (ToolErrorType | "ok")[]): void {
    const came = result.errorType ?? "ok";
    if (outcomes.includes(came)) return;
    const what = `the answer is ${came}, promised is ${outcomes.join(" or ")}`;
    if (came === "ok") this.escaped(what);
    else this.degraded(what);
  }

  /** Undone after the case, whatever it came to; last first. */
  after(undo: () => unknown): void {
    this.#undo.push(undo);
  }

  /** Calls a built-in tool by name, or any tool, the whole way from schema to re-check. */
  async call(tool: string | BaseTool, input: unknown, options: CallOptions = {}): Promise<ToolResult> {
    const { timeoutMs = TIMEOUT_MS, signal = new AbortController().signal, mayShow } = options;
    const own = typeof tool === "string" ? [] : [tool];
    const registry = new ToolRegistry([...readTools(), ...writeTools(), ...own]);
    const name = typeof tool === "string" ? tool : tool.name;
    const startedAt = performance.now();
    const result = await invokeTool(
      { id: "attack", name, input },
      { registry, pool: this.pool, policy: { decide: () => ({ allowed: true }) }, signal, timeoutMs },
    );
    const tookMs = performance.now() - startedAt;
    this.findings.note(`${name} ${shownInput(input)}`, shownResult(result));
    if (!mayShow && everything(result).includes(this.canary)) this.escaped("the canary stands in the result");
    if (tookMs > timeoutMs + GRACE_MS)
      this.degraded(`the call took ${Math.round(tookMs)} ms, its deadline was ${timeoutMs} ms`);
    return result;
  }

  /** Runs hostile code as a tool of one's own. */
  attack(
    code: string,
    { args, write, ...options }: CallOptions & { args?: unknown; write?: true } = {},
  ): Promise<ToolResult> {
    const tool = write ? this.hostile.write : this.hostile.read;
    return this.call(tool, { code, ...(args !== undefined && { args }) }, { timeoutMs: 2_000, ...options });
  }

  /** A whole run against a scripted model: log, terminal and requests are looked through. */
  run(attack: RunAttack): Promise<AttackedRun> {
    return runAttack(attack, this);
  }

  /** Everything as it was, for the next case. Workers that are sealed to the tree's root serve on. */
  async reset(): Promise<void> {
    this.findings = new Findings();
    for (const undo of this.#undo.splice(0).toReversed()) await undo();
    this.#tree.reset();
  }

  async undo(): Promise<void> {
    for (const undo of this.#undo.splice(0).toReversed()) await undo();
  }

  /** A new world, after what is outside was changed. */
  async renew(): Promise<void> {
    await this.close();
    this.#tree = makeAttackTree(this.options.parent);
  }

  async close(): Promise<void> {
    await this.undo();
    await this.#pool?.close();
    this.#pool = undefined;
    this.#hostile = undefined;
    this.#tree.remove();
  }
}

/** All that a result says, for the search for a canary. */
export function everything(result: ToolResult): string {
  return (
    result.content.map((block) => (block.type === "text" ? block.text : "")).join("\n") +
    JSON.stringify(result.data)
  );
}

export function shownResult({ errorType, content, durationMs }: ToolResult): string {
  const [first] = content;
  const text = first?.type === "text" ? first.text : (first?.type ?? "nothing");
  return `${errorType ?? "ok"} in ${durationMs} ms: ${JSON.stringify(text.slice(0, 200))}`;
}

function shownInput(input: unknown): string {
  return (JSON.stringify(input) ?? "undefined").slice(0, 240);
}
